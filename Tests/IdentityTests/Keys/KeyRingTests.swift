import Crypto
import JOSE
import Testing
import Text

@testable import Identity

@Suite struct KeyRingTests {
    private static let signers = Result {
        [
            SignatureAlgorithm.es256: JWSSigner(key: try SigningKey.generate(.es256), type: nil),
            .rs256: JWSSigner(key: try SigningKey.generate(.rs256()), type: nil),
        ]
    }

    private func ring() throws -> KeyRing {
        let signers = try Self.signers.get()
        return KeyRing(signers: signers, keys: signers.values.map(\.jwk))
    }

    private let claims = JSONObject([
        JSONObject.Member(key: "sub", value: "a"), JSONObject.Member(key: "exp", value: 1_800_000_000),
    ])

    @Test(arguments: KeyRing.TokenType.allCases, [SignatureAlgorithm.es256, .rs256])
    func `a token of each type is signed with each algorithm, and is of that type alone`(
        _ type: KeyRing.TokenType, _ algorithm: SignatureAlgorithm
    ) throws {
        let ring = try ring()
        var claims = claims
        if type == .userInfo { claims["exp"] = nil }
        let token = try ring.sign(claims, type: type, algorithm: algorithm).revealedText
        let header = try UnverifiedJWS.parse(token).header
        #expect(header.type == type.mediaType && header.algorithm == algorithm)
        #expect(header.keyID == ring.signer(for: algorithm)?.keyID)
        for other in KeyRing.TokenType.allCases {
            if other == type {
                #expect(try ring.claims(of: token, as: other).subject == "a")
            } else {
                #expect(throws: JOSEError.self, "\(other)") { try ring.claims(of: token, as: other) }
            }
        }
    }

    @Test func `an id token is no access token, and an access token no id token`() throws {
        let ring = try ring()
        let idToken = try ring.sign(claims, type: .idToken, algorithm: .rs256).revealedText
        #expect(throws: JOSEError.unexpectedType) { try ring.claims(ofAccessToken: idToken) }
        let accessToken = try ring.sign(claims, type: .accessToken, algorithm: .es256).revealedText
        #expect(throws: JOSEError.unexpectedType) { try ring.claims(of: accessToken, as: .idToken) }
        #expect(try ring.claims(ofAccessToken: accessToken).subject == "a")
    }

    @Test func `without a key for the algorithm nothing is signed`() throws {
        let signer = try #require(try Self.signers.get()[.es256])
        let ring = KeyRing(signers: [.es256: signer], keys: [signer.jwk])
        #expect(throws: IdentityError.unavailable(retryAfter: .seconds(1))) {
            try ring.sign(claims, type: .idToken, algorithm: .rs256)
        }
    }

    @Test func `the tag of the key set is that of its bytes`() throws {
        let signers = try Self.signers.get()
        let one = KeyRing(signers: signers, keys: signers.values.map(\.jwk).sorted { $0.thumbprint < $1.thumbprint })
        let same = KeyRing(signers: [:], keys: signers.values.map(\.jwk).sorted { $0.thumbprint < $1.thumbprint })
        #expect(one.entityTag == same.entityTag)
        #expect(one.entityTag != KeyRing(signers: [:], keys: []).entityTag)
    }

    @Test func `a public key is printed as others read it`() throws {
        let key = try #require(try Self.signers.get()[.rs256]).jwk.key
        let lines = key.pem.split(separator: "\n")
        #expect(lines.first == "-----BEGIN PUBLIC KEY-----" && lines.last == "-----END PUBLIC KEY-----")
        let der = try #require(Base64.decode(lines.dropFirst().dropLast().joined()))
        #expect(der == key.subjectPublicKeyInfo)
        #expect(lines.dropFirst().dropLast().allSatisfy { $0.count <= 64 })
    }
}
