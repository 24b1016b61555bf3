import Crypto
import JOSE
import Testing
import Text

@Suite struct JWSVerificationTests {
    private static let payload = #"{"sub":"user"}"#

    private func jwk(_ key: SigningKey, keyID: String? = "a") -> JWK {
        JWK(key: key.publicKey, algorithm: key.algorithm, keyID: keyID)
    }

    @Test func `an algorithm that is not allowed here is refused, though key and signature are good`() throws {
        let elliptic = try TestKeys.elliptic.get()
        let token = try UnverifiedJWS.parse(TokenText.signed(header: #"{"alg":"ES256","kid":"a"}"#, with: elliptic))
        #expect(throws: JOSEError.algorithmNotAllowed) { try token.verify(with: jwk(elliptic), allowing: [.rs256]) }
        #expect(throws: JOSEError.algorithmNotAllowed) { try token.verify(with: jwk(elliptic), allowing: []) }
        #expect(throws: JOSEError.algorithmNotAllowed) { try token.verify(with: JWKSet([jwk(elliptic)]), allowing: [.rs256]) }
        _ = try token.verify(with: jwk(elliptic), allowing: [.rs256, .es256])
    }

    @Test func `a header that names the algorithm of another key type is refused`() throws {
        let elliptic = try TestKeys.elliptic.get()
        let rsa = try TestKeys.rsa.get()
        let first = try UnverifiedJWS.parse(TokenText.signed(header: #"{"alg":"RS256","kid":"a"}"#, with: elliptic))
        #expect(throws: JOSEError.keyDoesNotFit) { try first.verify(with: jwk(elliptic), allowing: [.rs256, .es256]) }
        let second = try UnverifiedJWS.parse(TokenText.signed(header: #"{"alg":"ES256","kid":"a"}"#, with: rsa))
        #expect(throws: JOSEError.keyDoesNotFit) { try second.verify(with: jwk(rsa), allowing: [.rs256, .es256]) }
    }

    @Test func `a key that declares RS256 does not verify PS256, and the other way round`() throws {
        let rsa = try TestKeys.rsa.get()
        let token = try UnverifiedJWS.parse(TokenText.signed(header: #"{"alg":"PS256","kid":"a"}"#, with: rsa))
        #expect(throws: JOSEError.keyDoesNotFit) { try token.verify(with: jwk(rsa), allowing: [.rs256, .ps256]) }
        let other = try UnverifiedJWS.parse(TokenText.signed(header: #"{"alg":"RS256","kid":"a"}"#, with: rsa))
        let declared = JWK(key: rsa.publicKey, algorithm: .ps256, keyID: "a")
        #expect(throws: JOSEError.keyDoesNotFit) { try other.verify(with: declared, allowing: [.rs256, .ps256]) }
        #expect(throws: JOSEError.invalidSignature) { try token.verify(with: declared, allowing: [.ps256]) }
    }

    @Test(arguments: [
        "../../dev/null", "' OR 1=1--", "\\u0000", "b", "A", "a ", "a\\u0000", "https://attacker.example/keys",
    ])
    func `a key id that is not the key's is no key`(keyID: String) throws {
        let key = try TestKeys.elliptic.get()
        let token = try UnverifiedJWS.parse(TokenText.signed(header: "{\"alg\":\"ES256\",\"kid\":\"\(keyID)\"}", with: key))
        #expect(throws: JOSEError.unknownKey) { try token.verify(with: JWKSet([jwk(key)]), allowing: [.es256]) }
    }

    @Test func `key ids are compared byte by byte`() throws {
        let key = try TestKeys.elliptic.get()
        let token = try UnverifiedJWS.parse(TokenText.signed(header: "{\"alg\":\"ES256\",\"kid\":\"e\u{301}\"}", with: key))
        let composed = JWKSet([jwk(key, keyID: "\u{E9}")])
        #expect(throws: JOSEError.unknownKey) { try token.verify(with: composed, allowing: [.es256]) }
    }

    @Test func `a token without a key id is refused, even if there is only one key`() throws {
        let key = try TestKeys.elliptic.get()
        let token = try UnverifiedJWS.parse(TokenText.signed(header: #"{"alg":"ES256"}"#, with: key))
        #expect(throws: JOSEError.missingKeyID) { try token.verify(with: JWKSet([jwk(key)]), allowing: [.es256]) }
    }

    @Test(arguments: [
        #""jku":"https://attacker.example/jwks.json""#, #""x5u":"https://attacker.example/cert.pem""#, #""x5c":["MIIB"]"#,
        #""x5t":"AAAA""#, #""jwk":{"kty":"oct","k":"AAAA"}"#,
    ])
    func `keys and addresses in the header are ignored`(parameter: String) throws {
        let key = try TestKeys.elliptic.get()
        let header = "{\"alg\":\"ES256\",\"kid\":\"a\",\(parameter)}"
        let good = try UnverifiedJWS.parse(TokenText.signed(header: header, with: key))
        _ = try good.verify(with: JWKSet([jwk(key)]), allowing: [.es256])
        let forged = try UnverifiedJWS.parse(TokenText.signed(header: header, with: SigningKey.generate(.es256)))
        #expect(throws: JOSEError.invalidSignature) { try forged.verify(with: JWKSet([jwk(key)]), allowing: [.es256]) }
    }

    @Test func `the signature of one token does not serve another`() throws {
        let key = try TestKeys.elliptic.get()
        let first = try TokenText.signed(header: #"{"alg":"ES256","kid":"a"}"#, payload: #"{"sub":"alice"}"#, with: key)
        let second = try TokenText.signed(header: #"{"alg":"ES256","kid":"a"}"#, payload: #"{"sub":"bob"}"#, with: key)
        let parts = (first.split(separator: "."), second.split(separator: "."))
        let swapped = "\(parts.0[0]).\(parts.1[1]).\(parts.0[2])"
        #expect(throws: JOSEError.invalidSignature) {
            try UnverifiedJWS.parse(swapped).verify(with: jwk(key), allowing: [.es256])
        }
    }

    @Test func `a flipped bit anywhere in a token is refused`() throws {
        for key in try [TestKeys.elliptic.get(), TestKeys.rsa.get()] {
            let signer = JWSSigner(key: key, type: "JWT", keyID: "a")
            let token = try Array(signer.sign(Array(Self.payload.utf8)).utf8)
            let keys = JWKSet([signer.jwk])
            for bit in stride(from: 0, to: token.count * 8, by: 5) {
                var changed = token
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(throws: JOSEError.self, "bit \(bit)") {
                    try UnverifiedJWS.parse(changed.span).verify(with: keys, allowing: [.es256, .rs256])
                }
            }
        }
    }

    @Test(arguments: [
        ("at+jwt", "at+jwt", true), ("AT+JWT", "at+jwt", true), ("application/at+jwt", "at+jwt", true),
        ("Application/AT+jwt", "at+jwt", true), ("JWT", "at+jwt", false), ("application/", "at+jwt", false),
        ("application/application/at+jwt", "at+jwt", false), ("at+jwt ", "at+jwt", false), ("logout+jwt", "JWT", false),
        ("\u{212A}", "k", false),
    ])
    func `a type is compared without regard to ASCII case and prefix`(type: String, expected: String, isEqual: Bool) throws {
        let token = try UnverifiedJWS.parse(TokenText.unsigned(header: "{\"alg\":\"ES256\",\"typ\":\"\(type)\"}") + ".AAAA")
        #expect(token.header.isType(expected) == isEqual)
    }

    @Test(
        arguments: [
            (#","typ":"JWT""#, nil, nil), (#","typ":"jwt""#, nil, nil), ("", JOSEError.unexpectedType, nil),
            (#","typ":"at+jwt""#, .unexpectedType, .unexpectedType), (#","typ":"logout+jwt""#, .unexpectedType, .unexpectedType),
            (#","typ":"secevent+jwt""#, .unexpectedType, .unexpectedType),
        ] as [(String, JOSEError?, JOSEError?)])
    func `a token of another type is refused`(type: String, whenRequired: JOSEError?, whenPresent: JOSEError?) throws {
        let key = try TestKeys.elliptic.get()
        let text = try TokenText.signed(header: "{\"alg\":\"ES256\"\(type)}", with: key)
        let token = try UnverifiedJWS.parse(text).verify(with: jwk(key), allowing: [.es256])
        func outcome(_ check: (String) throws(JOSEError) -> Void) -> JOSEError? {
            do throws(JOSEError) {
                try check("JWT")
                return nil
            } catch {
                return error
            }
        }
        #expect(outcome(token.requireType) == whenRequired)
        #expect(outcome(token.requireTypeIfPresent) == whenPresent)
    }

    @Test func `a token without a type is of no type`() throws {
        let token = try UnverifiedJWS.parse(TokenText.unsigned(header: #"{"alg":"ES256"}"#) + ".AAAA")
        #expect(token.header.type == nil)
        #expect(!token.header.isType("JWT"))
    }
}
