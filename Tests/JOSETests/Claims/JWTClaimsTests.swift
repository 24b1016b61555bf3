import JOSE
import Testing
import Text

@Suite("JWT claims, RFC 7519 §4")
struct JWTClaimsTests {
    private func claims(_ text: String) throws(JOSEError) -> JWTClaims {
        try JWTClaims(payload: Array(text.utf8))
    }

    private func problem(_ text: String) -> JOSEError? {
        do throws(JOSEError) {
            _ = try claims(text)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the registered claims are read with their types`() throws {
        let claims = try claims(
            """
            {"iss":"https://accounts.google.com","sub":"110169484474386276334","aud":["a","b"],"exp":1700000600,"nbf":1700000000,
            "iat":1700000001,"jti":"x","email_verified":"true","azp":"a"}
            """)
        #expect(claims.issuer == "https://accounts.google.com")
        #expect(claims.subject == "110169484474386276334")
        #expect(claims.audience == ["a", "b"])
        #expect(claims.expiresAt == Timestamp(seconds: 1_700_000_600))
        #expect(claims.notBefore == Timestamp(seconds: 1_700_000_000))
        #expect(claims.issuedAt == Timestamp(seconds: 1_700_000_001))
        #expect(claims.jwtID == "x")
        #expect(claims["email_verified"] == "true")
        #expect(try claims.string("azp") == "a")
        #expect(try claims.string("nonce") == nil)
        #expect(try claims.require(\.subject, "sub") == "110169484474386276334")
    }

    @Test func `a single audience is an array of one`() throws {
        #expect(try claims(#"{"aud":"app"}"#).audience == ["app"])
    }

    @Test func `absent claims are absent, and required ones are named`() throws {
        let empty = try claims("{}")
        #expect(empty.issuer == nil)
        #expect(empty.subject == nil)
        #expect(empty.audience.isEmpty)
        #expect(empty.expiresAt == nil)
        #expect(throws: JOSEError.missingClaim("iss")) { try empty.require(\.issuer, "iss") }
    }

    @Test(
        arguments: ["exp", "nbf", "iat"],
        [
            #""1700000000""#, "true", "null", "[]", "{}", "-1", "-0.5", "253402300799.5", "1e300", "9223372036854775807",
            "9223372036854775808",
            "253402300800", "-9223372036854775808", "18446744073709551616",
        ])
    func `a date that is not a sane number is refused`(name: String, value: String) {
        #expect(problem("{\"\(name)\":\(value)}") == .invalidClaim(name))
    }

    @Test(arguments: ["0", "253402300799", "1700000000.0", "17e8"]) func `a whole number is a date`(value: String) {
        #expect(problem("{\"exp\":\(value)}") == nil)
    }

    @Test func `a date may have a fraction`() throws {
        let claims = try claims(#"{"exp":1700000600.5,"nbf":1700000000.25,"iat":1700000001.0}"#)
        #expect(claims.expiresAt == Timestamp(milliseconds: 1_700_000_600_500))
        #expect(claims.notBefore == Timestamp(milliseconds: 1_700_000_000_250))
        #expect(claims.issuedAt == Timestamp(seconds: 1_700_000_001))
    }

    @Test(arguments: [
        #"7"#, "null", "true", "{}", "[]", #""""#, #"[""]"#, #"["a",""]"#, #"["a",7]"#, #"["a",null]"#, #"[["a"]]"#,
    ])
    func `an audience of another type or an empty one is refused`(value: String) {
        #expect(problem("{\"aud\":\(value)}") == .invalidClaim("aud"))
    }

    @Test(arguments: [
        "7", "null", "[]", #""""#, #""a\u0000b""#, #""a\u202Eb""#, #""a\nb""#, #""ü""#, #""a\u007f""#,
        "\"" + String(repeating: "s", count: 256) + "\"", "\"" + String(repeating: "s", count: 100 * 1024) + "\"",
    ])
    func `a subject that is not up to 255 printable characters is refused`(value: String) {
        #expect(problem("{\"sub\":\(value)}") == .invalidClaim("sub"))
    }

    @Test func `a subject of 255 characters is taken`() {
        #expect(problem("{\"sub\":\"\(String(repeating: "s", count: 255))\"}") == nil)
    }

    @Test(arguments: ["iss", "jti"], ["7", "null", "[]", #""""#]) func `a text claim of another type is refused`(
        name: String, value: String
    ) {
        #expect(problem("{\"\(name)\":\(value)}") == .invalidClaim(name))
    }

    @Test(arguments: [
        (#"{"aud":"a","aud":"b"}"#, JSONParseError.Kind.duplicateMember), (#"{"sub":"a","\u0073ub":"b"}"#, .duplicateMember),
        (#"{"sub":"\ud800"}"#, .loneSurrogate), ("", .unexpectedEnd), ("{} ", nil), ("{} x", .trailingBytes),
        ("\u{FEFF}{}", .byteOrderMark), (#"{"exp":1e999}"#, .numberOutOfRange),
        ("{\"exp\":" + String(repeating: "1", count: 1 << 20) + "}", .numberOutOfRange),
        (String(repeating: "[", count: 10_000), .depth), ("{\"sub\":\"a\u{0}\"}", .syntax),
    ])
    func `a payload that is not unambiguous JSON is refused`(text: String, kind: JSONParseError.Kind?) {
        #expect(problem(text) == kind.map { .payloadNotJSON($0) })
    }

    @Test(arguments: ["[]", "null", "\"text\"", "7"]) func `a payload that is not an object has no claims`(text: String) {
        #expect(problem(text) == .payloadNotObject)
    }
}
