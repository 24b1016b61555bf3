import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct LoginTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func logIn(_ email: String, _ password: String = Account.password) async throws -> TestHTTPResponse {
        try await server.post("/auth/login", ["email": .string(email), "password": .string(password)])
    }

    /// Signs up with this password and returns the address.
    private func signUp(_ password: String) async throws -> String {
        let email = Account.newEmail()
        let response = try await server.post("/auth/register", ["email": .string(email), "password": .string(password)])
        try #require(response.status == 201, "\(response.text)")
        return email
    }

    private func change(_ email: String, _ assignment: String) throws {
        try TestDatabase.run(
            "UPDATE users SET \(assignment) WHERE email = '\(email)'", on: #require(installation).databaseURL)
    }

    @Test func `a sign-in gives new tokens and the whole user`() async throws {
        let account = try await server.signUp()
        let response = try await logIn(account.email)
        #expect(response.status == 200)
        #expect(response.keys == ["token", "accessToken", "refreshToken", "user"])
        #expect(response.json["token"] == response.json["accessToken"])
        #expect(response.json["user"]?["id"] == .string(account.id))
        #expect(response.json["user"]?.keys == ["id", "email", "email_verified", "settings", "created_at", "updated_at"])
        #expect(response.value("Cache-Control") == "no-store")
        let again = try Account(response)
        #expect(again.accessToken != account.accessToken)
        #expect(again.refreshToken != account.refreshToken)
    }

    @Test func `the address may be typed in another case`() async throws {
        let account = try await server.signUp()
        let response = try await logIn(account.email.uppercased())
        #expect(response.status == 200)
        #expect(response.json["user"]?["email"] == .string(account.email))
    }

    @Test func `nobody can tell why a sign-in failed`() async throws {
        let (known, passwordless, disabled) = try await (
            signUp(Account.password), signUp(Account.password), signUp(Account.password)
        )
        try change(passwordless, "password_hash = NULL")
        try change(disabled, "disabled_at = now()")
        let wrong = try await logIn(known, "not the password")
        #expect(wrong.status == 401)
        #expect(wrong.text == #"{"error":"Invalid email or password"}"#)
        #expect(wrong.value("WWW-Authenticate") == "Bearer realm=\"kidoban\"")
        #expect(try await logIn(Account.newEmail()).constantPart == wrong.constantPart)
        #expect(try await logIn(passwordless).constantPart == wrong.constantPart)
        #expect(try await logIn(disabled).constantPart == wrong.constantPart)
        #expect(try await logIn(passwordless, "").constantPart == wrong.constantPart)
    }

    @Test(arguments: ["", "short", "1234567"])
    func `a short password is compared, not refused`(_ password: String) async throws {
        let response = try await logIn(try await signUp(Account.password), password)
        #expect(response.status == 401)
    }

    @Test func `a password counts to its last byte`() async throws {
        let password = String((0..<80).map { "abcdefghij"[String.Index(utf16Offset: $0 % 10, in: "abcdefghij")] })
        let email = try await signUp(password)
        #expect(try await logIn(email, String(password.prefix(72))).status == 401)
        #expect(try await logIn(email, password + " ").status == 401)
        #expect(try await logIn(email, password.uppercased()).status == 401)
        #expect(try await logIn(email, password).status == 200)
    }

    @Test func `a password of 1024 bytes can be used`() async throws {
        let password = String(repeating: "long", count: 256)
        #expect(try await logIn(try await signUp(password), password).status == 200)
    }

    @Test func `a password is the same from every keyboard`() async throws {
        let email = try await signUp("Zoe\u{308} und die Brücke")
        #expect(try await logIn(email, "Zo\u{eb} und die Bru\u{308}cke").status == 200)
    }

    @Test func `what comes after a NUL is not cut off`() async throws {
        let response = try await logIn(try await signUp(Account.password), Account.password + "\0anything")
        #expect(response.status == 400)
        #expect(
            response.text
                == #"{"error":"Invalid input","details":[\#(RegisterRefusalTests.custom("password", "Contains a character that is not allowed"))]}"#
        )
    }

    @Test(arguments: [
        (
            "{}",
            [
                RegisterRefusalTests.missingEmail,
                #"{"code":"invalid_type","expected":"string","received":"undefined","path":["password"],"message":"Required"}"#,
            ]
        ),
        (#"{"email":"nobody","password":"x"}"#, [RegisterRefusalTests.badEmail]),
        (
            #"{"email":["a@example.com"],"password":{"$ne":null}}"#,
            [
                RegisterRefusalTests.wrongType("email", received: "array"),
                RegisterRefusalTests.wrongType("password", received: "object"),
            ]
        ),
        (#"{"email":"a@example.com","password":null}"#, [RegisterRefusalTests.wrongType("password", received: "null")]),
        (
            #"{"email":"a@example.com","password":"\#(String(repeating: "p", count: 1025))"}"#,
            [RegisterRefusalTests.tooBig("password", 1024)]
        ),
    ])
    func `what is wrong is said item by item`(_ body: String, _ details: [String]) async throws {
        let response = try await server.send(.json("POST", "/auth/login", Array(body.utf8)))
        #expect(response.status == 400)
        #expect(response.text == #"{"error":"Invalid input","details":[\#(details.joined(separator: ","))]}"#)
    }

    @Test func `the oldest session ends when there are too many`() async throws {
        let account = try await server.signUp()
        let clock = try #require(installation).clock
        for _ in 0..<50 {
            clock.advance(by: .milliseconds(1))
            _ = try await server.signIn(account)
        }
        #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 401)
        let newest = try await server.signIn(account)
        #expect(try await server.get("/auth/sessions", bearer: newest.accessToken).json["sessions"]?.arrayValue?.count == 50)
    }
}
