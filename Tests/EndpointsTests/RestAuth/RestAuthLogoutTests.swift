import Endpoints
import Server
import TestSupport
import Testing
import Text

/// Contract §1 and §3.2.
@Suite(.needsServers, .installation())
struct RestAuthLogoutTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var django: DjangoClient { get throws { DjangoClient(server: try installation.server) } }

    static let done = #"{"detail":"Successfully logged out."}"#

    private func expectDone(_ response: TestHTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(response.status == 200, sourceLocation: sourceLocation)
        #expect(response.text == Self.done, sourceLocation: sourceLocation)
        let cookie = try #require(response.cookie("sessionid"), sourceLocation: sourceLocation)
        for part in ["; Path=/", "Max-Age=0", "Expires=Thu, 01 Jan 1970 00:00:00 GMT"] {
            #expect(cookie.contains(part), sourceLocation: sourceLocation)
        }
        #expect(response.cookieValue("sessionid") == "", sourceLocation: sourceLocation)
    }

    @Test(arguments: ["/logout/", "/logout"])
    func `with nothing but the cookie, GET ends the key`(_ path: String) async throws {
        let response = try await django.register().response
        let key = try #require(response.key)
        #expect(try await django.user(key).status == 200)
        try expectDone(try await django.get(path, response.jar))
        let after = try await django.user(key)
        #expect(after.status == 401)
        #expect(after.text == #"{"detail":"Invalid token."}"#)
        #expect(try await django.get("/user/", response.jar).status == 401)
    }

    @Test func `GET without a cookie is success too`() async throws {
        try expectDone(try await django.get("/logout/"))
        try expectDone(try await django.get("/logout/", [("Cookie", "sessionid=gone; csrftoken=x")]))
    }

    @Test(arguments: ["cross-site", "same-site", "none"])
    func `a browser that is not on our own page cannot sign out by GET`(_ site: String) async throws {
        let response = try await django.register().response
        let refused = try await django.get("/logout/", response.jar + [("Sec-Fetch-Site", site)])
        #expect(refused.status == 405)
        #expect(refused.text == #"{"detail":"Method \"GET\" not allowed."}"#)
        #expect(refused.value("Allow")?.contains("POST") == true)
        #expect(try await django.user(try #require(response.key)).status == 200)
        try expectDone(try await django.get("/logout/", response.jar + [("Sec-Fetch-Site", "same-origin")]))
    }

    @Test(arguments: ["text/plain", "application/vnd.api+json", "multipart/form-data", "*/*"])
    func `whatever comes along keeps nobody from signing out`(_ type: String) async throws {
        let (_, key) = try await django.signedIn()
        let fields = [(name: "Authorization", value: "Token \(key)"), (name: "Content-Type", value: type)]
        try expectDone(try await django.server.send("POST", "/rest-auth/logout/", fields, body: "{"))
        #expect(try await django.user(key).status == 401)
    }

    @Test func `with the key, POST ends its session and no other`() async throws {
        let (email, key) = try await django.signedIn()
        let other = try #require(try await django.logIn(email).key)
        try expectDone(try await django.send("/logout/", [], [("Authorization", "Token \(key)")]))
        #expect(try await django.user(key).status == 401)
        #expect(try await django.user(other).status == 200)
    }

    @Test(arguments: ["Token", "Token x y", "Token 0123456789012345678901234567890123456789", "Bearer x", "nonsense"])
    func `a bad header keeps nobody from signing out`(_ header: String) async throws {
        let response = try await django.register().response
        try expectDone(try await django.send("/logout/", [], response.jar + [("Authorization", header)]))
        #expect(try await django.user(try #require(response.key)).status == 401)
    }

    @Test func `POST without anything is success, with and without a body`() async throws {
        try expectDone(try await django.server.send("POST", "/rest-auth/logout/"))
        try expectDone(try await django.json("/logout/", "{}"))
    }

    @Test func `a page of another site cannot sign out by POST`() async throws {
        let response = try await django.register().response
        let refused = try await django.send("/logout/", [], response.jar + [("Sec-Fetch-Site", "cross-site")])
        #expect(refused.status == 403)
        #expect(try await django.user(try #require(response.key)).status == 200)
    }

    @Test func `the cookie of another API is none here, nor the other way round`() async throws {
        let response = try await django.register().response
        let value = try #require(response.cookieValue("sessionid"))
        #expect(value.hasPrefix("kdc_"))
        let touched = try await django.server.send("GET", "/touch", [("Cookie", "sid=\(value)")])
        #expect(touched.status == 401 || touched.status == 404)
    }

    @Test func `signing out everywhere from another API ends the key`() async throws {
        let (email, key) = try await django.signedIn()
        let login = try await django.server.post(
            "/auth/login", ["email": .string(email), "password": .string(DjangoClient.password)])
        let account = try Account(login)
        let sessions = try await django.server.get("/auth/sessions", bearer: account.accessToken).json["sessions"]?.arrayValue
        #expect(sessions?.count == 2)
        for session in sessions ?? [] where session["current"] == false {
            _ = try await django.server.delete(
                "/auth/sessions/\(session["id"]?.stringValue ?? "")", bearer: account.accessToken)
        }
        #expect(try await django.user(key).status == 401)
    }

    @Test func `a backend can introspect a key`() async throws {
        let (email, key) = try await django.signedIn()
        let answer = try await django.server.introspect(key, try installation.backend())
        #expect(answer.json["active"] == true)
        #expect(answer.json["username"] == .string(email))
    }
}

@Suite(.needsServers, .installation { $0.restAuth.logsOutOnGet = false })
struct RestAuthLogoutWithoutGetTests {
    @Test func `GET can be switched off`() async throws {
        let django = DjangoClient(server: try #require(Installation.current).server)
        let response = try await django.register().response
        #expect(try await django.get("/logout/", response.jar).status == 405)
        #expect(try await django.user(try #require(response.key)).status == 200)
    }
}

@Suite(.needsServers, .installation { $0.restAuth.keySharing = .shared })
struct RestAuthSharedKeyTests {
    @Test func `all sign-ins have one key until somebody signs out`() async throws {
        let django = DjangoClient(server: try #require(Installation.current).server)
        let (email, key) = try await django.signedIn()
        try #require(Installation.current).clock.advance(by: .milliseconds(1))
        #expect(try await django.logIn(email).key == key)
        let both = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<4 { group.addTask { try await django.logIn(email).key } }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(both == [key])
        #expect(try await django.user(key).status == 200)
        _ = try await django.send("/logout/", [], [("Authorization", "Token \(key)")])
        #expect(try await django.user(key).status == 401)
        let next = try await django.logIn(email).key
        #expect(next != key)
        #expect(next != nil)
    }

    @Test func `a copy of the key does not survive a new password`() async throws {
        let django = DjangoClient(server: try #require(Installation.current).server)
        let (email, key) = try await django.signedIn()
        let jar = try await django.logIn(email).jar
        let new = "staple battery horse"
        let values = [("old_password", DjangoClient.password), ("new_password1", new), ("new_password2", new)]
        let changed = try await django.send("/password/change/", values, jar)
        #expect(changed.status == 200, "\(changed.text)")
        #expect(try await django.user(key).status == 401)
        // Whoever came by a cookie goes on by another one.
        #expect(try await django.get("/user/", jar).status == 401)
        #expect(try await django.get("/user/", changed.jar).status == 200)
        #expect(try await django.logIn(email, new).key != key)
    }

    @Test func `a sign-in in the place of another leaves the key, and makes the cookie void`() async throws {
        let django = DjangoClient(server: try #require(Installation.current).server)
        let (_, first) = try await django.register()
        let (email, _) = try await django.register()
        #expect(try await django.logIn(email, DjangoClient.password, first.jar).status == 200)
        #expect(try await django.get("/user/", first.jar).status == 401)
        #expect(try await django.user(try #require(first.key)).status == 200)
    }
}
