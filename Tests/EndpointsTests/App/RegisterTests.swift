import Server
import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct RegisterTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func register(_ members: (String, JSONValue)...) async throws -> TestHTTPResponse {
        var body = JSONObject()
        body["email"] = .string(Account.newEmail())
        body["password"] = .string(Account.password)
        for (name, value) in members { body[name] = value }
        return try await server.post("/auth/register", .object(body))
    }

    @Test func `a new user gets tokens and is described`() async throws {
        let email = Account.newEmail()
        let response = try await register(("email", .string(email)))
        #expect(response.status == 201)
        #expect(response.keys == ["token", "accessToken", "refreshToken", "user"])
        let body = response.json
        #expect(body["token"]?.stringValue?.isEmpty == false)
        #expect(body["token"] == body["accessToken"])
        #expect(body["user"]?.keys == ["id", "email", "email_verified", "settings", "created_at", "updated_at"])
        #expect(body["user"]?["email"] == .string(email))
        #expect(body["user"]?["email_verified"] == false)
        #expect(body["user"]?["settings"] == ["biometric_enabled": false, "auto_backup": false, "theme": "dark"])
    }

    @Test func `instants are written as JavaScript writes them`() async throws {
        let user = try await register().json["user"]
        #expect(user?["created_at"] == "2026-01-02T03:04:05.678Z")
        #expect(user?["updated_at"] == "2026-01-02T03:04:05.678Z")
        let text = try #require(user?["created_at"]?.stringValue)
        #expect(try /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.wholeMatch(in: text) != nil)
    }

    @Test func `the answer is JSON that no cache keeps`() async throws {
        let response = try await register()
        #expect(response.value("Content-Type") == "application/json; charset=utf-8")
        #expect(response.value("Cache-Control") == "no-store")
        #expect(response.value("X-Content-Type-Options") == "nosniff")
        #expect(response.value("X-Request-Id")?.isEmpty == false)
        #expect(response.value("Set-Cookie") == nil)
        #expect(response.value("Server") == nil)
    }

    @Test func `an address is taken in every spelling of it`() async throws {
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        #expect(try await register(("email", .string("\(name)@bücher.example"))).status == 201)
        for spelling in ["\(name)@bücher.example", "\(name.uppercased())@BÜCHER.Example", "\(name)@xn--bcher-kva.example"] {
            let response = try await register(("email", .string(spelling)))
            #expect(response.status == 400)
            #expect(response.text == #"{"error":"Email already exists"}"#)
        }
    }

    @Test func `of many who take one address at once, one gets it`() async throws {
        let email = Account.newEmail()
        let server = try server
        let body: JSONValue = ["email": .string(email), "password": .string(Account.password)]
        let responses = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            for _ in 0..<100 { group.addTask { try await server.post("/auth/register", body) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(responses.count { $0.status == 201 } == 1)
        let others = responses.filter { $0.status != 201 }
        #expect(others.allSatisfy { $0.status == 400 && $0.text == #"{"error":"Email already exists"}"# })
    }

    @Test func `the name is trimmed, kept and given back`() async throws {
        let response = try await register(("name", "  Åsa 🦊 O'Neil "))
        #expect(response.json["user"]?["name"] == "Åsa 🦊 O'Neil")
        let token = try #require(response.json["accessToken"]?.stringValue)
        #expect(try await server.get("/auth/me", bearer: token).json["name"] == "Åsa 🦊 O'Neil")
    }

    @Test(arguments: ["", "   ", nil] as [String?])
    func `an empty name is none`(_ name: String?) async throws {
        let response = try await register(("name", name.map { .string($0) } ?? .null))
        #expect(response.status == 201)
        #expect(response.json["user"]?.keys.contains("name") == false)
    }

    @Test func `what a user cannot decide is ignored`() async throws {
        let response = try await register(
            ("id", "00000000-0000-7000-8000-000000000000"), ("email_verified", true), ("is_admin", true), ("role", "admin"),
            ("created_at", "1970-01-01T00:00:00.000Z"), ("password_hash", "x"), ("disabled_at", nil),
            ("claims", ["role": "admin"]), ("settings", ["theme": "light"]))
        #expect(response.status == 201)
        let user = response.json["user"]
        #expect(user?["id"] != "00000000-0000-7000-8000-000000000000")
        #expect(user?["email_verified"] == false)
        #expect(user?["created_at"] == "2026-01-02T03:04:05.678Z")
        #expect(user?["settings"]?["theme"] == "dark")
    }

    @Test func `a provider without proof is ignored beside a password`() async throws {
        let response = try await register(("oauth_provider", "google"), ("oauth_id", "1234567890"))
        #expect(response.status == 201)
        #expect(response.json["user"]?.keys.contains("oauth_provider") == false)
    }

    @Test func `the tokens are good at once`() async throws {
        let account = try Account(await register())
        let me = try await server.get("/auth/me", bearer: account.accessToken)
        #expect(me.status == 200)
        #expect(me.json["id"] == .string(account.id))
        #expect(try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)]).status == 200)
    }
}
