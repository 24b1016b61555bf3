import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct ObtainTokenTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    @Test func `a sign-in gives the four members and nothing else`() async throws {
        let (_, pair) = try await server.newPair()
        let now = try #require(installation).clock.now.seconds
        #expect((now + 898...now + 902).contains(pair.expiresAt))
        #expect(pair.accessToken != pair.refreshToken)
    }

    @Test func `the access token lives a minute longer than it says, for devices whose clock is slow`() async throws {
        let installation = try #require(installation)
        let (_, pair) = try await server.newPair()
        let introspected = try await server.introspect(pair.accessToken, installation.backend())
        #expect(introspected.json["active"] == true)
        #expect(introspected.json["exp"] == .integer(pair.expiresAt + 60))
    }

    @Test func `each sign-in is a session of its own`() async throws {
        let (account, first) = try await server.newPair()
        let second = try TokenPair(await server.obtain(account.email))
        #expect(first.accessToken != second.accessToken)
        #expect(first.refreshToken != second.refreshToken)
        #expect(try await server.drop(first.accessToken).status == 200)
        #expect(try await server.get("/auth/me", bearer: second.accessToken).status == 200)
    }

    @Test func `nobody can tell why a sign-in failed, and a malformed address is one more way`() async throws {
        let (known, passwordless, disabled) = try await (server.signUp(), server.signUp(), server.signUp())
        let databaseURL = try #require(installation).databaseURL
        try TestDatabase.run("UPDATE users SET password_hash = NULL WHERE email = '\(passwordless.email)'", on: databaseURL)
        try TestDatabase.run("UPDATE users SET disabled_at = now() WHERE email = '\(disabled.email)'", on: databaseURL)
        let wrong = try await server.obtain(known.email, "not the password")
        #expect(wrong.status == 401)
        #expect(wrong.text == #"{"detail":"Incorrect email address or password"}"#)
        #expect(wrong.value("WWW-Authenticate") == "Bearer")
        #expect(wrong.value("Content-Type") == "application/json")
        for email in [Account.newEmail(), passwordless.email, disabled.email, "string", "", "a@b", "\0", "a b@example.com"] {
            #expect(try await server.obtain(email).constantPart == wrong.constantPart, "\(email)")
        }
        for password in ["", "\0", String(repeating: "x", count: 5000), known.email] {
            #expect(try await server.obtain(known.email, password).constantPart == wrong.constantPart)
        }
    }

    @Test func `members of other names are ignored`() async throws {
        let account = try await server.signUp()
        let body: JSONValue = [
            "email_address": .string(account.email), "password": .string(Account.password), "scope": "admin", "expires_at": 0,
        ]
        _ = try TokenPair(await server.obtain(body: body))
    }

    @Test func `a body without a content type is read as JSON`() async throws {
        let account = try await server.signUp()
        let body = #"{"email_address":"\#(account.email)","password":"\#(Account.password)"}"#
        _ = try TokenPair(await server.send("POST", "/auth/token", body: body))
    }

    @Test(arguments: [
        "Application/JSON; charset=utf-8", "application/json; charset=iso-8859-1", "application/json;",
        "application/vnd.api+json", "",
        "application/json; charset=\"utf-8\"; profile=x",
    ])
    func `what FastAPI takes for JSON is JSON`(_ type: String) async throws {
        let account = try await server.signUp()
        let body = #"{"email_address":"\#(account.email)","password":"\#(Account.password)"}"#
        _ = try TokenPair(await server.send("POST", "/auth/token", [(name: "Content-Type", value: type)], body: body))
    }

    @Test func `the way with a slash at the end is the same, without a redirect`() async throws {
        let (account, pair) = try await server.newPair()
        let body: JSONValue = ["email_address": .string(account.email), "password": .string(Account.password)]
        _ = try TokenPair(await server.send(.json("POST", "/auth/token/", body.serialized)))
        let next = try TokenPair(await server.renew(pair.refreshToken, path: "/auth/token/"))
        let ended = try await server.send("DELETE", "/auth/token/", [("Authorization", "bearer \(next.accessToken)")])
        #expect(ended.text == "{}")
    }

    @Test(arguments: ["GET", "PATCH", "OPTIONS"])
    func `another verb is not allowed`(_ method: String) async throws {
        for path in ["/auth/token", "/auth/token/"] {
            let response = try await server.send(method, path)
            #expect(response.status == 405)
            #expect(response.text == #"{"detail":"Method Not Allowed"}"#)
            #expect(response.value("Allow") == "DELETE, POST, PUT")
        }
    }

    @Test func `a path below it is not found`() async throws {
        let response = try await server.get("/auth/token/x")
        #expect(response.status == 404)
        #expect(response.text == #"{"detail":"Not Found"}"#)
    }

    @Test func `a body that is too large is refused in these words`() async throws {
        let body = #"{"email_address":"\#(String(repeating: "a", count: 1_100_000))"}"#
        let response = try await server.send(.json("POST", "/auth/token", Array(body.utf8)))
        #expect(response.status == 413)
        #expect(response.text == #"{"detail":"Content Too Large"}"#)
    }
}
