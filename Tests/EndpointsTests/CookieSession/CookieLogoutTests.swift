import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct CookieLogoutTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func signedIn(_ account: Account) async throws -> CookieClient {
        let client = CookieClient(try server)
        #expect(try await client.logIn(account.email).status == 200)
        return client
    }

    private func expectDone(_ response: TestHTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(response.status == 200, sourceLocation: sourceLocation)
        #expect(response.text == #"{"status":"ok"}"#, sourceLocation: sourceLocation)
        #expect(response.value("Cache-Control") == "no-store", sourceLocation: sourceLocation)
    }

    @Test func `a sign-out ends the session and takes the cookie away, and may be repeated`() async throws {
        let client = try await signedIn(try await server.signUp())
        let cookies = client.cookies
        let response = try await client.logOut()
        expectDone(response)
        #expect(try ReceivedCookie(response).attributes["max-age"] == "0")
        #expect(client.cookies.isEmpty)
        expectDone(try await client.logOut())
        for _ in 0..<2 {
            client.cookies = cookies
            expectSignedOut(try await client.touch())
            client.cookies = cookies
            expectDone(try await client.logOut())
        }
    }

    @Test func `GET signs nobody out`() async throws {
        let client = try await signedIn(try await server.signUp())
        let response = try await client.send("GET", "/logout")
        #expect(response.status == 405)
        #expect(response.value("Allow") == "POST")
        #expect(try await client.touch().status == 200)
        for field in [("X-HTTP-Method-Override", "POST"), ("X-Method-Override", "POST")] {
            #expect(try await client.send("GET", "/logout?_method=POST", [field]).status == 405)
        }
        #expect(try await client.touch().status == 200)
    }

    @Test func `the session shows whose it is, and the token of its forms`() async throws {
        let account = try await server.signUp()
        let client = try await signedIn(account)
        let response = try await client.send("GET", "/session")
        #expect(response.status == 200)
        #expect(response.keys == ["status", "user", "session", "csrf_token"])
        #expect(response.json["user"]?["id"] == .string(account.id))
        #expect(response.json["session"]?.keys == ["expires_at", "idle_expires_at"])
        #expect(response.json["csrf_token"]?.stringValue?.utf8.count == 43)
        #expect(response.value("Cache-Control") == "no-store")
        #expect(try await client.send("GET", "/session").json["csrf_token"] == response.json["csrf_token"])
        let other = try await signedIn(account)
        #expect(try await other.send("GET", "/session").json["csrf_token"] != response.json["csrf_token"])
        client.cookies = [:]
        expectSignedOut(try await client.send("GET", "/session"), "unauthenticated")
    }

    @Test func `a user sees all sessions and ends another one, then this one`() async throws {
        let account = try await server.signUp()
        let (here, there) = (try await signedIn(account), try await signedIn(account))
        let response = try await here.send("GET", "/sessions")
        let sessions = try #require(response.json["sessions"]?.arrayValue)
        #expect(response.keys == ["status", "sessions"])
        #expect(sessions.count == 3)
        let keys: Set = ["id", "device", "network", "created_at", "last_used_at", "expires_at", "current"]
        #expect(sessions.allSatisfy { $0.keys == keys })
        #expect(sessions.allSatisfy { $0["network"] == "127.0.0.0/24" })
        let theirs = try #require(try await there.send("GET", "/sessions").json["sessions"]?.arrayValue)
        let id = try #require(theirs.first { $0["current"] == true }?["id"]?.stringValue)
        expectDone(try await here.send("DELETE", "/session/\(id)"))
        expectSignedOut(try await there.touch())
        // Repeated because the answer was lost.
        expectDone(try await here.send("DELETE", "/session/\(id)"))
        let unknown = try await here.send("DELETE", "/session/AAAAAAAAAAAAAAAAAAAAAA")
        #expect(unknown.status == 404)
        #expect(unknown.text == #"{"error":"not_found"}"#)
        let own = try #require(sessions.first { $0["current"] == true }?["id"]?.stringValue)
        let last = try await here.send("DELETE", "/session/\(own)")
        expectDone(last)
        #expect(try ReceivedCookie(last).attributes["max-age"] == "0")
        #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 200)
    }

    @Test func `nobody ends the session of somebody else`() async throws {
        let (mine, theirs) = (try await signedIn(try await server.signUp()), try await signedIn(try await server.signUp()))
        let id = try #require(try await theirs.send("GET", "/sessions").json["sessions"]?[0]?["id"]?.stringValue)
        for id in [id, "AAAAAAAAAAAAAAAAAAAAAA", "x", "%2a"] {
            #expect(try await mine.send("DELETE", "/session/\(id)").status == 404)
        }
        #expect(try await theirs.touch().status == 200)
        let stranger = CookieClient(try server)
        expectSignedOut(try await stranger.send("DELETE", "/session/\(id)"), "unauthenticated")
        expectSignedOut(try await stranger.send("POST", "/logout-all"), "unauthenticated")
        #expect(try await theirs.touch().status == 200)
    }

    @Test(arguments: ["form", "json"])
    func `all other devices can be signed out, and this one kept`(_ kind: String) async throws {
        let account = try await server.signUp()
        let (here, there) = (try await signedIn(account), try await signedIn(account))
        let response =
            kind == "form"
            ? try await here.send("POST", "/logout-all", [CookieClient.formType], body: "keep_current=1")
            : try await here.send("POST", "/logout-all", [("Content-Type", "application/json")], body: #"{"keep_current":true}"#)
        expectDone(response)
        #expect(response.value("Set-Cookie") == nil)
        #expect(try await here.touch().status == 200)
        expectSignedOut(try await there.touch())
        #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 401)
        let wrong = try await here.send("POST", "/logout-all", [CookieClient.formType], body: "keep_current=perhaps")
        #expect(wrong.status == 400)
        #expect(try await here.touch().status == 200)
    }

    @Test func `a session that a token ends is over for its cookie too`() async throws {
        let account = try await server.signUp()
        let client = try await signedIn(account)
        let sessions = try #require(
            try await server.get("/auth/sessions", bearer: account.accessToken).json["sessions"]?.arrayValue)
        let id = try #require(sessions.first { $0["current"] == false }?["id"]?.stringValue)
        #expect(try await server.delete("/auth/sessions/\(id)", bearer: account.accessToken).status == 204)
        expectSignedOut(try await client.touch())
    }
}
