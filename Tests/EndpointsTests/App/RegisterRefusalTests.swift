import TestSupport
import Testing
import Text

/// What is wrong with a sign-up, item by item, as apps know it.
@Suite(.needsServers, .installation())
struct RegisterRefusalTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    /// A refused body, and the items of `details`.
    struct Refusal: CustomTestStringConvertible {
        let body: String
        let details: [String]

        init(_ body: String, _ details: String...) {
            self.body = body
            self.details = details
        }

        var testDescription: String { body }
    }

    static let missingEmail =
        #"{"code":"invalid_type","expected":"string","received":"undefined","path":["email"],"message":"Required"}"#
    static let badEmail = #"{"code":"invalid_string","validation":"email","path":["email"],"message":"Invalid email"}"#
    static let noPassword =
        #"{"code":"custom","path":["password"],"message":"Password is required for non-OAuth registration"}"#
    static let shortPassword =
        #"{"code":"too_small","minimum":8,"type":"string","inclusive":true,"exact":false,"path":["password"],"#
        + #""message":"String must contain at least 8 character(s)"}"#
    static let options = #""options":["google","apple","github","twitter"]"#
    static let expectedProvider = "Invalid enum value. Expected 'google' | 'apple' | 'github' | 'twitter'"

    static func wrongType(_ path: String, expected: String = "string", received: String) -> String {
        #"{"code":"invalid_type","expected":"\#(expected)","received":"\#(received)","path":["\#(path)"],"#
            + #""message":"Expected \#(expected), received \#(received)"}"#
    }

    static func custom(_ path: String, _ message: String) -> String {
        #"{"code":"custom","path":["\#(path)"],"message":"\#(message)"}"#
    }

    static func tooBig(_ path: String, _ maximum: Int) -> String {
        #"{"code":"too_big","maximum":\#(maximum),"type":"string","inclusive":true,"exact":false,"path":["\#(path)"],"#
            + #""message":"String must contain at most \#(maximum) character(s)"}"#
    }

    @Test(arguments: [
        Refusal(#"{"password":"correct horse"}"#, missingEmail),
        Refusal("{}", missingEmail),
        Refusal(#"{"email":5,"password":"correct horse"}"#, wrongType("email", received: "number")),
        Refusal(#"{"email":1.5,"password":"correct horse"}"#, wrongType("email", received: "number")),
        Refusal(#"{"email":null,"password":"correct horse"}"#, wrongType("email", received: "null")),
        Refusal(#"{"email":{},"password":"correct horse"}"#, wrongType("email", received: "object")),
        Refusal(
            #"{"email":["a@example.com","b@example.com"],"password":"correct horse"}"#, wrongType("email", received: "array")),
        Refusal(#"{"email":true,"password":"correct horse"}"#, wrongType("email", received: "boolean")),
        Refusal(#"{"email":"a@example.com","password":12345678}"#, wrongType("password", received: "number")),
        Refusal(#"{"email":"a@example.com","password":null}"#, wrongType("password", received: "null")),
        Refusal(#"{"email":"a@example.com","password":["correct horse"]}"#, wrongType("password", received: "array")),
        Refusal(#"{"email":"a@example.com","password":"1234567"}"#, shortPassword),
        Refusal(#"{"email":"a@example.com"}"#, noPassword),
        Refusal(#"{"email":"a@example.com","password":""}"#, shortPassword, noPassword),
        Refusal(#"{"email":"a@example.com","oauth_provider":"google","oauth_id":"1"}"#, noPassword),
        Refusal(#"{"email":"a@example.com","oauth_provider":"google","oauth_id":""}"#, noPassword),
        Refusal(#"{"email":"nobody","password":"correct horse"}"#, badEmail),
        Refusal(#"{"email":"nobody"}"#, badEmail, noPassword),
        Refusal(#"{"email":"nobody","password":"short"}"#, badEmail, shortPassword),
        // A rule about several fields makes sense only when each of them is well formed.
        Refusal(#"{"email":7}"#, wrongType("email", received: "number")),
        Refusal(
            #"{"email":"a@example.com","password":"correct horse","oauth_provider":"x"}"#,
            #"{"code":"invalid_enum_value",\#(options),"received":"x","path":["oauth_provider"],"#
                + #""message":"\#(expectedProvider), received 'x'"}"#),
        Refusal(
            #"{"email":"a@example.com","oauth_provider":"<script>é"}"#,
            #"{"code":"invalid_enum_value",\#(options),"path":["oauth_provider"],"message":"\#(expectedProvider)"}"#),
        Refusal(
            #"{"email":"a@example.com","password":"correct horse","oauth_provider":1,"oauth_id":2,"name":3,"rotate":"yes"}"#,
            wrongType("name", received: "number"), wrongType("rotate", expected: "boolean", received: "string"),
            wrongType("oauth_provider", received: "number"), wrongType("oauth_id", received: "number")),
        Refusal(
            #"{"email":"a@example.com","password":"Password123"}"#, custom("password", "Password is too common")),
        Refusal(
            #"{"email":"somebody.else@example.com","password":"Somebody.Else@example.com"}"#,
            custom("password", "Password must differ from the email")),
        Refusal(
            #"{"email":"a@example.com","password":"nul\u0000character"}"#,
            custom("password", "Contains a character that is not allowed")),
        Refusal(
            #"{"email":"a@example.com","password":"correct horse","name":"two\nlines"}"#,
            custom("name", "Contains a character that is not allowed")),
        Refusal(
            #"{"email":"a@example.com","password":"\#(String(repeating: "p", count: 1025))"}"#, tooBig("password", 1024)),
        Refusal(
            #"{"email":"a@example.com","password":"correct horse","name":"\#(String(repeating: "n", count: 201))"}"#,
            tooBig("name", 200)),
    ])
    func `what is wrong is said item by item`(_ refusal: Refusal) async throws {
        let response = try await server.send(.json("POST", "/auth/register", Array(refusal.body.utf8)))
        #expect(response.status == 400)
        #expect(response.text == #"{"error":"Invalid input","details":[\#(refusal.details.joined(separator: ","))]}"#)
    }

    @Test(arguments: [("[]", "array"), (#""text""#, "string"), ("null", "null"), ("7", "number")])
    func `a body that is no object is said to be none`(_ body: String, _ type: String) async throws {
        let response = try await server.send(.json("POST", "/auth/register", Array(body.utf8)))
        #expect(response.status == 400)
        let item =
            #"{"code":"invalid_type","expected":"object","received":"\#(type)","path":[],"message":"Expected object, received \#(type)"}"#
        #expect(response.text == #"{"error":"Invalid input","details":[\#(item)]}"#)
    }

    @Test(arguments: [
        "", "a", "@", "a@", "@example.com", "a@b@example.com", "a b@example.com", #""a b"@example.com"#, "a@localhost",
        "a@[127.0.0.1]", "a@127.0.0.1", "a@example.com.", "a@-example.com", "a(comment)@example.com", "<a@example.com>",
        "a@example.com\r\nBcc: b@example.com", "a\u{200B}@example.com", "ａ＠example.com", "a@exam\u{202E}ple.com",
        "\(String(repeating: "a", count: 65))@example.com", "a@\(String(repeating: "b.", count: 130))example.com",
    ])
    func `an address that two programs could read differently is refused`(_ email: String) async throws {
        let response = try await server.post(
            "/auth/register", ["email": .string(email), "password": .string(Account.password)])
        #expect(response.status == 400)
        #expect(response.text == #"{"error":"Invalid input","details":[\#(Self.badEmail)]}"#)
    }

    @Test(arguments: ["12345678", "🦊🦊🦊🦊", "        "])
    func `eight units of UTF-16 are enough, whatever they are`(_ password: String) async throws {
        let response = try await server.post(
            "/auth/register", ["email": .string(Account.newEmail()), "password": .string(password)])
        #expect(response.status == 201 || response.text.contains("Password is too common"))
        #expect(!response.text.contains("too_small"))
    }

    @Test func `no value comes back but a short wrong provider`() async throws {
        let response = try await server.post(
            "/auth/register",
            ["email": "canary-one", "password": "canary2", "name": ["canary-three"], "oauth_provider": "canary-\u{1B}[31mfour"])
        #expect(response.status == 400)
        #expect(!response.text.contains("canary"))
    }
}
