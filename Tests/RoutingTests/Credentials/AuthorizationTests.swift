import Testing
import Text
@testable import Routing

@Suite struct AuthorizationTests {
    private func parse(_ values: String...) throws -> Authorization? {
        try Authorization.parse(try parsedHead(fields: values.map { "Authorization: \($0)" }))
    }

    private func basic(_ text: String) -> String {
        "Basic " + Base64.encode([UInt8](text.utf8))
    }

    @Test func `without the field there are no credentials`() throws {
        let credentials = try parse()
        #expect(credentials == nil)
    }

    @Test(arguments: [
        ("app:secret", "app", "secret"), ("app:", "app", ""), ("app:a:b", "app", "a:b"), ("a%3Ab:c", "a:b", "c"),
        ("a+b:c+d", "a b", "c d"),
        ("a:%C3%A9%2B", "a", "é+"), ("app-backend:q7_-.~!*'()", "app-backend", "q7_-.~!*'()"),
    ])
    func `basic credentials are decoded as RFC 6749 section 2.3.1 asks`(text: String, id: String, secret: String) throws {
        for value in [basic(text), basic(text).replacing("Basic", with: "bASIC"), basic(text).replacing(" ", with: "   ")] {
            guard case .basic(let credentials) = try parse(value) else {
                Issue.record("no basic credentials")
                return
            }
            #expect(credentials.id == id)
            #expect(credentials.secret.revealedText == secret)
        }
    }

    @Test(arguments: [
        "", ":", ":secret", "app", "a%:b", "a:%4", "a:%zz", "a:%00", "a:%0A", "a\u{1}:b", "a:b\n", "a:%C3", "%FF:a",
    ])
    func `basic credentials with a broken inside are malformed`(text: String) {
        #expect(throws: AuthorizationError.malformed) { try parse(basic(text)) }
    }

    @Test(arguments: [
        "Basic", "Basic ", "Basic YTpi=", "Basic YTpiYw", "Basic YTpiYx==", "Basic YTpi YTpi", "Basic YTp_", "Basic\tYTpi",
        "Basic YTpi\tx",
        "Basic =", "Basic ===", "Bearer", "Bearer =", "Bearer a b", "Bearer a=b", "Bearer \"a\"", "Bearer \ta", "Bearer a;b",
        "Bearer a%20b", "Bearer {a}",
    ])
    func `credentials that are no single token are refused`(value: String) {
        #expect(throws: value.contains("\t") && value.hasPrefix("Basic\t") ? AuthorizationError.unsupportedScheme : .malformed) {
            try parse(value)
        }
    }

    @Test(arguments: ["abc", "a.b-c_d~e+f/g", "abc=", "abc==", String(repeating: "x", count: 4000)])
    func `a bearer token is kept as it came`(token: String) throws {
        for scheme in ["Bearer", "bearer", "BEARER"] {
            guard case .bearer(let secret) = try parse("\(scheme) \(token)") else {
                Issue.record("no bearer token")
                return
            }
            #expect(secret.revealedText == token)
        }
    }

    @Test(arguments: ["Digest a=b", "Token abc", "abc", "Basicx YTpi", "", "Bearer,", "Negotiate YTpi"])
    func `another scheme is not supported`(value: String) {
        #expect(throws: AuthorizationError.unsupportedScheme) { try parse(value) }
    }

    @Test(arguments: ["Bearer a, Basic YTpi", "Basic YTpi, Bearer a", "Bearer a,b", "Basic YTpi,Basic YTpi"])
    func `two credentials in one field are refused`(value: String) {
        #expect(throws: AuthorizationError.combined) { try parse(value) }
    }

    @Test func `the field is refused when it is repeated, even when equal`() {
        #expect(throws: AuthorizationError.repeated) { try parse("Bearer a", "Bearer a") }
        #expect(throws: AuthorizationError.repeated) { try parse("Bearer a", "Basic YTpi") }
    }

    @Test(arguments: [-1, 0, 1]) func `a field value may have 8192 bytes`(offset: Int) throws {
        let value = "Bearer " + String(repeating: "x", count: 8192 - 7 + offset)
        guard offset > 0 else {
            let credentials = try parse(value)
            #expect(credentials != nil)
            return
        }
        #expect(throws: AuthorizationError.tooLong) { try parse(value) }
    }

    @Test func `credentials print no secret`() throws {
        for value in [basic("app:hunter2"), "Bearer hunter2"] {
            let credentials = try #require(try parse(value))
            var dumped = ""
            dump(credentials, to: &dumped)
            for text in ["\(credentials)", String(reflecting: credentials), dumped] {
                #expect(!text.contains("hunter2"))
            }
        }
    }
}
