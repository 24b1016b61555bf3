import Crypto
import JOSE
import Testing
import Text

@Suite("JWK, RFC 7517")
struct JWKTests {
    /// RFC 7638 §3.1.
    private static let thumbprintExample = """
        {"kty":"RSA",
        "n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMst\
        n64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n9\
        1CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
        "e":"AQAB","alg":"RS256","kid":"2011-04-29"}
        """
    private static let elliptic =
        #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#

    @Test func `the thumbprint is that of RFC 7638 §3 1`() throws {
        let key = try JWK(text: Self.thumbprintExample)
        #expect(key.thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(key.keyID == "2011-04-29")
        #expect(key.algorithm == .rs256)
    }

    @Test func `a rendered key reads back as the same key`() throws {
        for key in try [TestKeys.elliptic.get(), TestKeys.rsa.get()] {
            let published = JWK(key: key.publicKey, algorithm: key.algorithm)
            var writer = JSONWriter()
            published.write(to: &writer)
            let copy = try JWK(parsing: JSON.parse(writer.bytes))
            #expect(copy.key.components == key.publicKey.components)
            #expect(copy.keyID == published.thumbprint)
            #expect(copy.algorithm == key.algorithm)
            #expect(copy.thumbprint == published.thumbprint)
        }
    }

    @Test func `a rendered key has its public members and no others`() throws {
        var writer = JSONWriter()
        try JWK(key: TestKeys.elliptic.get().publicKey, algorithm: .es256).write(to: &writer)
        let elliptic = try #require(try JSON.parse(writer.bytes).objectValue)
        #expect(elliptic.members.map(\.key) == ["kty", "crv", "x", "y", "kid", "alg", "use"])
        writer = JSONWriter()
        try JWK(key: TestKeys.rsa.get().publicKey, algorithm: .rs256).write(to: &writer)
        let rsa = try #require(try JSON.parse(writer.bytes).objectValue)
        #expect(rsa.members.map(\.key) == ["kty", "n", "e", "kid", "alg", "use"])
    }

    private func defect(_ text: String) -> JWKDefect? {
        guard let value = try? JSON.parse(text) else {
            Issue.record("not JSON: \(text)")
            return nil
        }
        do throws(JWKDefect) {
            _ = try JWK(parsing: value)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        (#""kid":"a""#, nil), (#""use":"sig""#, nil), (#""alg":"ES256""#, nil), (#""key_ops":["verify"]"#, nil),
        (#""key_ops":["sign","verify"],"use":"sig""#, nil), (#""x5c":["MIIB"],"x5u":"https://a.example","unknown":{}"#, nil),
        (#""use":"enc""#, JWKDefect.notForVerification), (#""use":"SIG""#, .notForVerification),
        (#""use":null"#, .invalidMember("use")),
        (#""use":["sig"]"#, .invalidMember("use")), (#""key_ops":["sign"]"#, .notForVerification),
        (#""key_ops":["encrypt","verify"]"#, .notForVerification), (#""key_ops":[]"#, .notForVerification),
        (#""key_ops":["verify","verify"]"#, .invalidMember("key_ops")), (#""key_ops":"verify""#, .invalidMember("key_ops")),
        (#""key_ops":[1]"#, .invalidMember("key_ops")), (#""alg":"RS256""#, .algorithmDoesNotFit),
        (#""alg":"ES512""#, .unsupportedAlgorithm), (#""alg":"none""#, .unsupportedAlgorithm),
        (#""alg":"""#, .unsupportedAlgorithm),
        (#""alg":1"#, .invalidMember("alg")), (#""kid":1"#, .invalidMember("kid")), (#""kid":"""#, .invalidMember("kid")),
        (#""d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI""#, .privateKeyExposed), (#""k":"AAAA""#, .privateKeyExposed),
    ])
    func `what a key says about itself must fit its use`(members: String, expected: JWKDefect?) {
        #expect(defect(Self.elliptic.dropLast() + "," + members + "}") == expected)
    }

    @Test(arguments: [
        (#""kty":"EC""#, #""kty":"oct""#, JWKDefect.unsupportedKeyType), (#""kty":"EC""#, #""kty":"OKP""#, .unsupportedKeyType),
        (#""kty":"EC""#, #""kty":"ec""#, .unsupportedKeyType), (#""kty":"EC""#, #""kty":7"#, .unsupportedKeyType),
        (#""kty":"EC","#, "", .missingMember("kty")), (#""kty":"EC""#, #""kty":"RSA""#, .missingMember("n")),
        (#""crv":"P-256","#, "", .missingMember("crv")), (#""crv":"P-256""#, #""crv":"P-384""#, .unsupportedCurve),
        (#""crv":"P-256""#, #""crv":"secp256k1""#, .unsupportedCurve), ("f83O", "f83P", .unusable(.pointNotOnCurve)),
        ("f83O", "AAAAf83O", .unusable(.wrongLength)), ("f83O", "f83=", .invalidMember("x")),
        (#","y":"#, #","z":"#, .missingMember("y")),
        ("WI5a0", "WI5a1", .invalidMember("y")),
    ])
    func `a key that is not one on P-256 is refused`(part: String, replacement: String, expected: JWKDefect) {
        var text = Self.elliptic
        text.replace(part, with: replacement)
        #expect(text != Self.elliptic)
        #expect(defect(text) == expected)
    }

    @Test(arguments: [
        (#""e":"AQAB""#, #""e":"AQ""#, JWKDefect.unusable(.exponentRefused)),
        (#""e":"AQAB""#, #""e":"AQAA""#, .unusable(.exponentRefused)),
        (#""e":"AQAB""#, #""e":"AAEAAQ""#, .unusable(.malformed)),
        (#""e":"AQAB""#, #""e":"AQAAAAE""#, .unusable(.exponentRefused)),
        (#""e":"AQAB""#, #""e":"""#, .unusable(.malformed)),
        (#""e":"AQAB""#, #""e":65537"#, .invalidMember("e")),
        (#""e":"AQAB","#, "", .missingMember("e")),
        (#""n":"0vx7"#, #""n":"AAAA0vx7"#, .unusable(.malformed)),
        ("qDKgw\"", "qDKgg\"", .unusable(.modulusEven)),
        (#""alg":"RS256""#, #""alg":"ES256""#, .algorithmDoesNotFit),
        (#""alg":"RS256""#, #""alg":"RSA-OAEP""#, .unsupportedAlgorithm),
    ])
    func `a weak or malformed RSA key is refused`(part: String, replacement: String, expected: JWKDefect) {
        var text = Self.thumbprintExample
        text.replace(part, with: replacement)
        #expect(text != Self.thumbprintExample)
        #expect(defect(text) == expected)
    }

    @Test(arguments: ["[]", "null", "\"key\"", "7"]) func `anything but an object is no key`(text: String) {
        #expect(defect(text) == .notObject)
    }
}
