package import Crypto
package import JOSE
package import Text

/// The signing keys of a moment: one that signs for each algorithm, and all that still verify.
package struct KeyRing: Sendable {
    /// What a token of ours is. The type is in its header, so that none passes for one of another kind (RFC 8725 §3.11).
    package enum TokenType: Sendable, CaseIterable {
        /// RFC 9068 §2.1.
        case accessToken
        /// OpenID Connect Core 1.0 §2.
        case idToken
        /// OpenID Connect Back-Channel Logout 1.0 §2.4.
        case logoutToken
        /// RFC 9701 §5.
        case introspectionAnswer
        /// OpenID Connect Core 1.0 §5.3.2. Its header is that of an id token, for clients take no other; it has no end, which one has.
        case userInfo

        package var mediaType: String {
            switch self {
            case .accessToken: "at+jwt"
            case .idToken, .userInfo: "JWT"
            case .logoutToken: "logout+jwt"
            case .introspectionAnswer: "token-introspection+jwt"
            }
        }
    }

    /// What tokens are signed with; each has a key that signs.
    package static let algorithms: [SignatureAlgorithm] = [.es256, .rs256]

    /// The public keys as `/.well-known/jwks.json` serves them (RFC 7517 §5).
    package let rendered: [UInt8]
    /// Of these bytes, as `ETag` has it (RFC 9110 §8.8.3).
    package let entityTag: String
    private let signers: [SignatureAlgorithm: [TokenType: JWSSigner]]
    private let keys: JWKSet

    /// - Parameters:
    ///   - signers: the active key of each algorithm.
    ///   - keys: every key whose tokens may still live, and those that will sign soon.
    package init(signers: [SignatureAlgorithm: JWSSigner], keys: [JWK]) {
        self.signers = signers.mapValues { signer in
            Dictionary(uniqueKeysWithValues: TokenType.allCases.map { ($0, signer.signing($0.mediaType)) })
        }
        self.keys = JWKSet(keys)
        rendered = self.keys.rendered
        entityTag = "\"\(Base64URL.encode(Array(SHA256.hash(rendered).bytes.prefix(16))))\""
    }

    /// The names of all keys.
    package var keyIDs: Set<String> { Set(keys.keys.compactMap(\.keyID)) }

    /// The key that signs access tokens now; nil when there is none for this algorithm.
    package func signer(for algorithm: SignatureAlgorithm, type: TokenType = .accessToken) -> JWSSigner? {
        signers[algorithm]?[type]
    }

    /// A token with these claims.
    /// - Throws: `IdentityError.unavailable` while there is no key for the algorithm; `internalFault` when signing fails.
    package func sign(
        _ payload: [UInt8], type: TokenType, algorithm: SignatureAlgorithm
    ) throws(IdentityError) -> SecretString {
        guard let signer = signer(for: algorithm, type: type) else { throw .unavailable(retryAfter: .seconds(1)) }
        do throws(JOSEError) {
            return SecretString(try signer.sign(payload))
        } catch {
            throw .fault()
        }
    }

    package func sign(
        _ claims: JSONObject, type: TokenType, algorithm: SignatureAlgorithm
    ) throws(IdentityError) -> SecretString {
        try sign(JSONValue.object(claims).serialized, type: type, algorithm: algorithm)
    }

    /// The claims of one of our own tokens of this type, whether or not it has expired or been revoked.
    /// - Throws: `JOSEError` when it is none of ours, or of another type.
    package func claims(of token: String, as type: TokenType) throws(JOSEError) -> JWTClaims {
        let verified = try UnverifiedJWS.parse(token).verify(with: keys, allowing: Self.algorithms)
        try verified.requireType(type.mediaType)
        let claims = try verified.claims()
        switch type {
        case .idToken where claims.expiresAt == nil: throw .missingClaim("exp")
        case .userInfo where claims.expiresAt != nil: throw .unexpectedType
        case .accessToken, .idToken, .logoutToken, .introspectionAnswer, .userInfo: return claims
        }
    }

    /// The claims of one of our own access tokens (RFC 9068 §4), whether or not it has expired or been revoked.
    /// - Throws: `JOSEError` when it is none of ours.
    package func claims(ofAccessToken token: String) throws(JOSEError) -> JWTClaims {
        try claims(of: token, as: .accessToken)
    }
}

/// A loop's copy of the key ring; nil until the keys have been loaded once.
extension LoopSlot where Value == KeyRing? {
    /// - Throws: `IdentityError.unavailable` while the keys have not been loaded.
    package func current() throws(IdentityError) -> KeyRing {
        guard let value else { throw .unavailable(retryAfter: .seconds(1)) }
        return value
    }
}

extension KeyRing {
    /// The keys of an algorithm as certificates by their names, for verifiers that read keys in no other form. They certify nothing: each is signed
    /// with the key that signs now.
    /// - Throws: `IdentityError.unavailable` while there is none; `internalFault` when signing fails.
    package func certificates(of algorithm: SignatureAlgorithm, at now: Timestamp) throws(IdentityError) -> JSONObject {
        guard let signer = signer(for: algorithm, type: .idToken) else { throw .unavailable(retryAfter: .seconds(1)) }
        guard let keys = try? JWKSet.parse(rendered).keys else { throw .fault() }
        var certificates = JSONObject()
        for key in keys where key.fits(algorithm) {
            guard let name = key.keyID else { continue }
            do throws(JOSEError) {
                let certificate = Certificate(of: key.key, name: name, at: now)
                certificates[name] = .string(certificate.pem(signature: try signer.signature(over: certificate.signed)))
            } catch {
                throw .fault()
            }
        }
        return certificates
    }
}
