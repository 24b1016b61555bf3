import Crypto
import JOSE
import Testing
import Text

@testable import Identity

/// Tokens that somebody made, changed or took from elsewhere. Each is refused for its own reason, which only the operator learns.
@Suite struct ForgedIDTokenTests {
    private let issuer: TestIssuer

    init() throws {
        issuer = try TestIssuer()
    }

    private func reason(
        _ token: SecretString, _ provider: IdentityProvider = TestIssuer.apple, nonce: String? = nil, now: Timestamp = Sample.now,
        keys: [JWK]? = nil
    ) -> String? {
        issuer.refusal(token, provider, nonce: nonce, now: now, keys: keys)?.reason
    }

    private func reason(claims: JSONValue, _ provider: IdentityProvider = TestIssuer.apple, nonce: String? = nil) throws
        -> String?
    {
        let claims =
            provider.id == .google ? TestIssuer.googleClaims(JSONObject(claims)) : TestIssuer.appleClaims(JSONObject(claims))
        return reason(try issuer.token(claims), provider, nonce: nonce)
    }

    private func reason(header: String) throws -> String? {
        reason(try issuer.token(TestIssuer.appleClaims(), header: header))
    }

    private var good: String {
        get throws { try issuer.token(TestIssuer.appleClaims()).revealedText }
    }

    @Test(arguments: ["none", "None", "nOnE", "NONE"])
    func `a token without a signature is refused, however none is written`(_ name: String) throws {
        let payload = String(decoding: JSONValue.object(TestIssuer.appleClaims()).serialized, as: UTF8.self)
        let unsigned = TestIssuer.unsigned(header: "{\"alg\":\"\(name)\",\"kid\":\"key-1\"}", payload: payload)
        #expect(reason(SecretString(unsigned)) == "not_three_parts")
        #expect(reason(SecretString(unsigned + ".")) == "unsupported_algorithm")
        #expect(reason(SecretString(unsigned + ".AAAA")) == "unsupported_algorithm")
        let stripped = try good.split(separator: ".").prefix(2).joined(separator: ".") + "."
        #expect(reason(SecretString(stripped)) == "missing_signature")
    }

    @Test func `the public key is no HMAC secret, in whatever form`() throws {
        guard case .rsa(let modulus, let exponent) = issuer.rsa.publicKey.components else { return }
        let jwk = "{\"kty\":\"RSA\",\"n\":\"\(Base64URL.encode(modulus))\",\"e\":\"\(Base64URL.encode(exponent))\"}"
        let pem = "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(modulus))\n-----END PUBLIC KEY-----"
        let secrets = [modulus, Array(jwk.utf8), Array(pem.utf8), Array((pem + "\n").utf8), Array(Hex.encode(modulus).utf8)]
        let payload = String(decoding: JSONValue.object(TestIssuer.appleClaims()).serialized, as: UTF8.self)
        for secret in secrets {
            let input = TestIssuer.unsigned(header: #"{"alg":"HS256","kid":"key-1"}"#, payload: payload)
            let code = HMACSHA256.authenticate(Array(input.utf8), key: try SymmetricKey(secret))
            #expect(reason(SecretString(input + "." + Base64URL.encode(code.bytes))) == "unsupported_algorithm")
        }
    }

    @Test(arguments: ["RS384", "RS512", "PS384", "ES384", "EdDSA", "HS256", "HS512", "rs256", "RS256 ", "A128KW"])
    func `an algorithm that nobody allowed is refused`(_ name: String) throws {
        #expect(try reason(header: "{\"alg\":\"\(name)\",\"kid\":\"key-1\"}") == "unsupported_algorithm")
    }

    @Test(arguments: ["PS256", "ES256"])
    func `an algorithm that only others may use is refused`(_ name: String) throws {
        #expect(try reason(header: "{\"alg\":\"\(name)\",\"kid\":\"key-1\"}") == "algorithm_not_allowed")
    }

    @Test func `a key of another type or for another algorithm does not verify`() throws {
        var provider = TestIssuer.apple
        provider.algorithms = [.rs256, .es256, .ps256]
        let elliptic = JWK(key: issuer.elliptic.publicKey, algorithm: .es256, keyID: TestIssuer.keyID)
        #expect(reason(SecretString(try good), provider, keys: [elliptic]) == "key_does_not_fit")
        let pss = JWK(key: issuer.rsa.publicKey, algorithm: .ps256, keyID: TestIssuer.keyID)
        #expect(reason(SecretString(try good), provider, keys: [pss]) == "key_does_not_fit")
    }

    @Test func `a signature of R and S zero proves nothing`() throws {
        var provider = TestIssuer.apple
        provider.algorithms = [.es256]
        let key = JWK(key: issuer.elliptic.publicKey, algorithm: .es256, keyID: TestIssuer.keyID)
        let payload = String(decoding: JSONValue.object(TestIssuer.appleClaims()).serialized, as: UTF8.self)
        let input = TestIssuer.unsigned(header: #"{"alg":"ES256","kid":"key-1"}"#, payload: payload)
        for signature in [[UInt8](repeating: 0, count: 64), [0x30, 6, 2, 1, 0, 2, 1, 0], [UInt8](repeating: 255, count: 64)] {
            let token = SecretString(input + "." + Base64URL.encode(signature))
            #expect(reason(token, provider, keys: [key]) == "invalid_signature")
        }
    }

    @Test func `a key that the provider has not published does not verify`() throws {
        #expect(reason(try issuer.token(TestIssuer.appleClaims(), key: issuer.stranger)) == "invalid_signature")
    }

    @Test func `a key in the header is not looked at, and no address in it is asked`() throws {
        guard case .rsa(let modulus, _) = issuer.stranger.publicKey.components else { return }
        let key = "{\"kty\":\"RSA\",\"n\":\"\(Base64URL.encode(modulus))\",\"e\":\"AQAB\"}"
        for member in ["\"jwk\":\(key)", #""jku":"http://127.0.0.1:1/""#, #""x5u":"http://127.0.0.1:1/""#, #""x5c":["MIIB"]"#] {
            let header = "{\"alg\":\"RS256\",\"kid\":\"key-1\",\(member)}"
            #expect(
                reason(try issuer.token(TestIssuer.appleClaims(), header: header, key: issuer.stranger)) == "invalid_signature")
            #expect(try reason(header: header) == nil)
        }
    }

    @Test(arguments: ["../../dev/null", "' OR 1=1--", "\\u0000", "key-2", "KEY-1", "key-1 ", "ｋey-1"])
    func `a strange kid is no key`(_ name: String) throws {
        #expect(try reason(header: "{\"alg\":\"RS256\",\"kid\":\"\(name)\"}") == "unknown_key")
    }

    @Test(arguments: ["\"\"", "5", "[\"key-1\"]", "{}", "null", "true"])
    func `a kid that is no name is refused`(_ value: String) throws {
        #expect(try reason(header: "{\"alg\":\"RS256\",\"kid\":\(value)}") == "invalid_header_kid")
    }

    @Test func `a kid must be there, and of bearable length`() throws {
        #expect(try reason(header: #"{"alg":"RS256"}"#) == "missing_key_id")
        let long = String(repeating: "k", count: 10_000)
        #expect(try reason(header: "{\"alg\":\"RS256\",\"kid\":\"\(long)\"}") == "invalid_header_kid")
    }

    @Test(arguments: [
        ("\"crit\":[]", "critical_extension"), ("\"crit\":[\"exp\"],\"exp\":1", "critical_extension"),
        ("\"b64\":false", "unencoded_payload"), ("\"b64\":false,\"crit\":[\"b64\"]", "critical_extension"),
        ("\"zip\":\"DEF\"", "compressed"), ("\"alg\":\"RS256\"", "header_not_json_duplicate_member"),
        ("\"kid\":\"other\"", "header_not_json_duplicate_member"), ("\"typ\":5", "invalid_header_typ"),
    ])
    func `an extension or an ambiguous header is refused`(_ member: String, _ expected: String) throws {
        #expect(try reason(header: "{\"alg\":\"RS256\",\"kid\":\"key-1\",\(member)}") == expected)
    }

    @Test(arguments: ["at+jwt", "logout+jwt", "secevent+jwt", "application/at+jwt", "dpop+jwt", "JOSE"])
    func `a token of another type is refused`(_ type: String) throws {
        #expect(try reason(header: "{\"alg\":\"RS256\",\"kid\":\"key-1\",\"typ\":\"\(type)\"}") == "unexpected_type")
    }

    @Test(arguments: ["JWT", "jwt", "application/JWT"])
    func `a token that says it is a JWT is taken`(_ type: String) throws {
        #expect(try reason(header: "{\"alg\":\"RS256\",\"kid\":\"key-1\",\"typ\":\"\(type)\"}") == nil)
    }

    @Test(arguments: [
        "https://appleid.apple.com/", "http://appleid.apple.com", "https://APPLEID.apple.com", "appleid.apple.com",
        "https://appleid.apple.com.evil.example", "https://accounts.google.com", "https://evil.example",
        " https://appleid.apple.com",
    ])
    func `another issuer is refused, however near`(_ name: String) throws {
        #expect(try reason(claims: ["iss": .string(name)]) == "wrong_issuer")
    }

    @Test func `a token of one provider is none of another`() throws {
        #expect(reason(SecretString(try good), TestIssuer.google) == "wrong_issuer")
        #expect(reason(try issuer.token(TestIssuer.googleClaims()), TestIssuer.apple) == "wrong_issuer")
    }

    @Test(
        arguments: [
            ("com.x.app.dev" as JSONValue, "wrong_audience"), ("com.x", "wrong_audience"), ("COM.X.APP", "wrong_audience"),
            ("com.x.app ", "wrong_audience"), (["com.y.app", "com.z.app"], "wrong_audience"), ([], "invalid_claim_aud"),
            ("", "invalid_claim_aud"), ([""], "invalid_claim_aud"), (["com.x.app", 5], "invalid_claim_aud"),
            (5, "invalid_claim_aud"),
            (["com.x.app": true], "invalid_claim_aud"), ([["com.x.app"]], "invalid_claim_aud"), (nil, "missing_claim_aud"),
        ] as [(JSONValue, String)])
    func `a token for somebody else is refused`(_ audience: JSONValue, _ expected: String) throws {
        #expect(try reason(claims: ["aud": audience]) == expected)
    }

    @Test func `a client id is compared byte by byte`() throws {
        var provider = TestIssuer.apple
        provider.clientIDs = ["K"]
        // The Kelvin sign, which Unicode counts as the same letter.
        let token = try issuer.token(TestIssuer.appleClaims(JSONObject(["aud": "\u{212A}"])))
        #expect(reason(token, provider) == "wrong_audience")
    }

    @Test func `without client ids no token is for us`() throws {
        var provider = TestIssuer.apple
        provider.clientIDs = []
        #expect(reason(SecretString(try good), provider) == "wrong_audience")
    }

    @Test(
        arguments: [
            ("stranger.apps.googleusercontent.com" as JSONValue, "wrong_presenter"), ("", "invalid_claim_azp"),
            (5, "invalid_claim_azp"),
            (["ios.apps.googleusercontent.com"], "invalid_claim_azp"),
        ] as [(JSONValue, String)])
    func `a presenter that is not ours is refused`(_ presenter: JSONValue, _ expected: String) throws {
        #expect(try reason(claims: ["azp": presenter], TestIssuer.google) == expected)
    }

    @Test func `several audiences need a presenter`() throws {
        let audience: JSONValue = ["other", .string(TestIssuer.googleClient)]
        #expect(try reason(claims: ["aud": audience, "azp": nil], TestIssuer.google) == "missing_presenter")
        #expect(try reason(claims: ["aud": audience, "azp": "other"], TestIssuer.google) == "wrong_presenter")
    }

    @Test(arguments: [
        ("exp", -59, nil), ("exp", -60, "expired"), ("exp", -61, "expired"), ("nbf", 60, nil), ("nbf", 61, "not_yet_valid"),
        ("iat", 60, nil), ("iat", 61, "issued_in_future"), ("iat", -86_460, nil), ("iat", -86_461, "issued_too_long_ago"),
    ])
    func `times may differ by a minute`(_ claim: String, _ offset: Int64, _ expected: String?) throws {
        let claims = JSONObject([JSONObject.Member(key: claim, value: .integer(TestIssuer.seconds + offset))])
        let token = try issuer.token(TestIssuer.appleClaims(claims))
        #expect(reason(token, now: Timestamp(seconds: TestIssuer.seconds)) == expected)
    }

    @Test(arguments: ["exp", "iat"], [JSONValue.string("1763870706"), -1.5, -1, .integer(.max), true, [1], "1e999"])
    func `a time that is no time is refused`(_ claim: String, _ value: JSONValue) throws {
        let claims = JSONObject([JSONObject.Member(key: claim, value: value)])
        #expect(reason(try issuer.token(TestIssuer.appleClaims(claims))) == "invalid_claim_\(claim)")
    }

    @Test func `times may have a fraction`() throws {
        let (now, half) = (TestIssuer.seconds, 0.5)
        #expect(try reason(claims: ["exp": .double(Double(now) + 60 + half), "iat": .double(Double(now) - half)]) == nil)
        #expect(try reason(claims: ["exp": .double(Double(now) - 60 - half)]) == "expired")
    }

    @Test func `times must be there`() throws {
        #expect(try reason(claims: ["exp": nil]) == "missing_claim_exp")
        #expect(try reason(claims: ["iat": nil]) == "missing_claim_iat")
    }

    @Test(
        arguments: [
            (nil, "missing_claim_sub"), ("", "invalid_claim_sub"), (5, "invalid_claim_sub"), ("a\u{0}b", "invalid_claim_sub"),
            ("a\u{202E}b", "invalid_claim_sub"), (.string(String(repeating: "s", count: 256)), "invalid_claim_sub"),
            (["x"], "invalid_claim_sub"),
        ] as [(JSONValue, String)])
    func `a subject that is none is refused`(_ subject: JSONValue, _ expected: String) throws {
        #expect(try reason(claims: ["sub": subject]) == expected)
    }

    @Test func `a subject may have 255 bytes`() throws {
        #expect(try reason(claims: ["sub": .string(String(repeating: "s", count: 255))]) == nil)
    }

    @Test(arguments: [
        #"{"iss":"https://appleid.apple.com","aud":"com.x.app","aud":"evil","sub":"a","iat":1,"exp":2}"#,
        #"{"sub":"a","sub":"b"}"#,
        #"{"a":{"b":1,"b":2}}"#,
    ])
    func `a payload that says a thing twice is refused`(_ payload: String) throws {
        #expect(reason(try issuer.token(payload: payload)) == "payload_not_json_duplicate_member")
    }

    @Test(arguments: [
        ("[]", "payload_not_object"), ("\"x\"", "payload_not_object"), ("", "payload_not_json_unexpected_end"),
        ("\u{FEFF}{}", "payload_not_json_byte_order_mark"), ("{}x", "payload_not_json_trailing_bytes"),
        (#"{"sub":"\ud800"}"#, "payload_not_json_lone_surrogate"), (#"{"exp":1e999}"#, "payload_not_json_number_out_of_range"),
        (String(repeating: "[", count: 5000), "payload_not_json_depth"),
    ])
    func `a payload that is no object is refused`(_ payload: String, _ expected: String) throws {
        #expect(reason(try issuer.token(payload: payload)) == expected)
    }

    @Test func `base64url has one spelling`() throws {
        let parts = try good.split(separator: ".").map(String.init)
        for (index, name) in ["header", "payload", "signature"].enumerated() {
            for change in [{ $0 + "=" }, { $0 + "A\n" }, { " " + $0 }, { $0 + "+" }, { "/" + $0 }] as [(String) -> String] {
                var changed = parts
                changed[index] = change(parts[index])
                #expect(reason(SecretString(changed.joined(separator: "."))) == "invalid_base64url_\(name)")
            }
        }
        // A 2048 bit signature ends in a character of which only two bits count.
        let last = try #require(parts[2].last)
        for other in "ABCDEFGHIJKLMNOP" where other != last {
            let token = parts[0] + "." + parts[1] + "." + parts[2].dropLast() + String(other)
            #expect(["invalid_base64url_signature", "invalid_signature"].contains(reason(SecretString(token))))
        }
    }

    @Test func `another number of parts is refused`() throws {
        let token = try good
        for text in [token + ".", token + ".x.y", "." + token, "", "x", "..", ".", String(repeating: ".", count: 10_000)] {
            #expect(reason(SecretString(text)) != nil)
        }
        #expect(reason(SecretString(token + ".x.y")) == "not_three_parts")
        #expect(reason(SecretString(#"{"payload":"x","signatures":[]}"#)) == "not_three_parts")
    }

    @Test func `16 KiB are the end`() throws {
        let padding = { (count: Int) in
            JSONObject([JSONObject.Member(key: "pad", value: .string(String(repeating: "p", count: count)))])
        }
        #expect(reason(try issuer.token(TestIssuer.appleClaims(padding(11_000)))) == nil)
        #expect(reason(try issuer.token(TestIssuer.appleClaims(padding(12_500)))) == "too_large")
        #expect(reason(SecretString(String(repeating: "A", count: 10 << 20))) == "too_large")
    }

    @Test func `no changed bit is overlooked`() throws {
        var generator = SeededGenerator(seed: 20_251_123)
        let token = Array(try good.utf8)
        for _ in 0..<200 {
            var changed = token
            changed[Int.random(in: token.indices, using: &generator)] ^= 1 << UInt8.random(in: 0..<7, using: &generator)
            #expect(reason(SecretString(String(decoding: changed, as: UTF8.self))) != nil)
        }
    }

    @Test func `a signature is good for its own token only`() throws {
        let parts = try good.split(separator: ".")
        let other = try issuer.token(TestIssuer.appleClaims(JSONObject(["sub": "somebody-else"]))).revealedText.split(
            separator: ".")
        #expect(reason(SecretString("\(parts[0]).\(other[1]).\(parts[2])")) == "invalid_signature")
    }

    /// RFC 7515 appendix A.2 and RFC 7520 section 4.1: good signatures of tokens that are no id tokens of a provider.
    @Test func `a published example is no proof`() throws {
        let key = try JWK(
            parsing: JSON.parse(
                """
                {"kty":"RSA","kid":"key-1","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d\
                4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R\
                2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpo\
                Q","e":"AQAB"}
                """))
        let token = SecretString(
            "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
                + "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZ"
                + "cAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-e"
                + "OkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
        )
        #expect(reason(token, keys: [key]) == "missing_key_id")
    }
}
