import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct SessionsTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func list(_ token: String) async throws -> [JSONValue] {
        let response = try await server.get("/auth/sessions", bearer: token)
        #expect(response.status == 200)
        return try #require(response.json["sessions"]?.arrayValue)
    }

    private func logIn(_ account: Account, from device: String) async throws -> Account {
        let body: JSONValue = ["email": .string(account.email), "password": .string(Account.password)]
        var request = TestHTTPRequest.json("POST", "/auth/login", body.serialized)
        request.fields.append(("User-Agent", device))
        return try Account(await server.send(request))
    }

    @Test func `a user sees the devices, with this one marked`() async throws {
        let first = try await server.signUp()
        let second = try await logIn(first, from: "EchoLog/2.1 (iPhone; iOS 19)")
        let sessions = try await list(second.accessToken)
        #expect(sessions.count == 2)
        let keys: Set = ["id", "device", "network", "created_at", "last_used_at", "expires_at", "current"]
        #expect(sessions.allSatisfy { $0.keys == keys })
        #expect(sessions.allSatisfy { $0["network"] == "127.0.0.0/24" })
        let current = sessions.filter { $0["current"] == true }
        #expect(current.map { $0["device"] } == ["EchoLog/2.1 (iPhone; iOS 19)"])
        let created = try #require(current.first?["created_at"]?.stringValue.flatMap { Timestamp(iso8601: $0) })
        #expect(current.first?["last_used_at"] == current.first?["created_at"])
        #expect(current.first?["expires_at"] == .string(created.adding(.seconds(90 * 86_400)).iso8601))
        #expect(try await list(first.accessToken).filter { $0["current"] == true }.map { $0["device"] } == [""])
    }

    @Test func `the one used last comes first`() async throws {
        let clock = try #require(installation).clock
        let first = try await server.signUp()
        clock.advance(by: .seconds(1))
        let second = try await logIn(first, from: "second")
        #expect(try await list(first.accessToken).map { $0["device"] } == ["second", ""])
        clock.advance(by: .seconds(1))
        #expect(try await server.post("/auth/refresh", ["refreshToken": .string(first.refreshToken)]).status == 200)
        #expect(try await list(second.accessToken).map { $0["device"] } == ["", "second"])
    }

    @Test func `a device that calls itself names stays a text`() async throws {
        let account = try await server.signUp()
        let device = "<script>alert(1)</script>\t\"quoted\" \\ \(String(repeating: "x", count: 400))"
        let sessions = try await list(logIn(account, from: device).accessToken)
        let shown = try #require(sessions.first { $0["current"] == true }?["device"]?.stringValue)
        #expect(shown.hasPrefix(#"<script>alert(1)</script> "quoted" \ xxx"#))
        #expect(shown.utf8.count == 256)
    }

    @Test func `another device can be signed out`() async throws {
        let here = try await server.signUp()
        let there = try await server.signIn(here)
        let id = try #require(try await list(here.accessToken).first { $0["current"] == false }?["id"]?.stringValue)
        let response = try await server.delete("/auth/sessions/\(id)", bearer: here.accessToken)
        #expect(response.status == 204)
        #expect(try await server.get("/auth/me", bearer: there.accessToken).status == 401)
        #expect(try await server.post("/auth/refresh", ["refreshToken": .string(there.refreshToken)]).status == 401)
        #expect(try await list(here.accessToken).map { $0["current"] } == [true])
        // Repeated because the answer was lost.
        #expect(try await server.delete("/auth/sessions/\(id)", bearer: here.accessToken).status == 204)
    }

    @Test func `this device can be signed out`() async throws {
        let account = try await server.signUp()
        let id = try #require(try await list(account.accessToken).first?["id"]?.stringValue)
        #expect(try await server.delete("/auth/sessions/\(id)", bearer: account.accessToken).status == 204)
        #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 401)
        #expect(try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)]).status == 401)
    }

    @Test func `the session of somebody else is as unknown as any`() async throws {
        let (one, other) = try await (server.signUp(), server.signUp())
        let id = try #require(try await list(other.accessToken).first?["id"]?.stringValue)
        let foreign = try await server.delete("/auth/sessions/\(id)", bearer: one.accessToken)
        #expect(foreign.status == 404)
        #expect(foreign.text == #"{"error":"Session not found"}"#)
        for unknown in ["AAAAAAAAAAAAAAAAAAAAAA", "x", "%2a", "..%2f", String(repeating: "A", count: 200)] {
            let response = try await server.delete("/auth/sessions/\(unknown)", bearer: one.accessToken)
            #expect(response.status == 404)
        }
        #expect(try await server.get("/auth/me", bearer: other.accessToken).status == 200)
    }

    @Test(arguments: [("GET", "/auth/sessions"), ("DELETE", "/auth/sessions/AAAAAAAAAAAAAAAAAAAAAA")])
    func `nobody sees or ends sessions without a token`(_ method: String, _ path: String) async throws {
        let response = try await server.send(method, path)
        #expect(response.status == 401)
        #expect(response.text == MeTests.unauthorized)
        #expect(response.value("WWW-Authenticate") == #"Bearer realm="kidoban""#)
    }
}
