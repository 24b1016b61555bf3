import TestSupport
import Testing
import Text

/// One user, and every API there is.
@Suite(.needsServers, .installation())
struct AllAPIsTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    /// The user's sessions as the app API lists them, by device.
    private func devices(_ accessToken: String) async throws -> Set<String> {
        let response = try await server.get("/auth/sessions", bearer: accessToken)
        #expect(response.status == 200)
        return Set((response.json["sessions"]?.arrayValue ?? []).compactMap { $0["device"]?.stringValue })
    }

    /// A user who is signed in through each API.
    private struct Everywhere {
        let account: Account
        let pair: TokenPair
        let cookie: CookieClient
        /// Of the rest-auth API.
        let key: String
    }

    private func signedInEverywhere() async throws -> Everywhere {
        let server = try server
        let (account, cookie) = (try await server.signUp(), CookieClient(server))
        let body: JSONValue = ["email_address": .string(account.email), "password": .string(Account.password)]
        var request = TestHTTPRequest.json("POST", "/auth/token", body.serialized)
        request.fields.append(("User-Agent", "token"))
        let pair = try TokenPair(await server.send(request))
        cookie.fields = [("User-Agent", "cookie")]
        #expect(try await cookie.logIn(account.email).status == 200)
        let django = try await DjangoClient(server: server).logIn(
            account.email, Account.password, [("User-Agent", "django")])
        return Everywhere(account: account, pair: pair, cookie: cookie, key: try #require(django.key))
    }

    private func expectOver(_ user: Everywhere, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let server = try server
        #expect(try await server.get("/auth/me", bearer: user.account.accessToken).status == 401, sourceLocation: sourceLocation)
        let refresh: JSONValue = ["refreshToken": .string(user.account.refreshToken)]
        #expect(try await server.post("/auth/refresh", refresh).status == 401, sourceLocation: sourceLocation)
        expectInvalidBearer(try await server.drop(user.pair.accessToken), sourceLocation: sourceLocation)
        expectInvalidBearer(try await server.renew(user.pair.refreshToken), sourceLocation: sourceLocation)
        #expect(try await user.cookie.touch().status == 401, sourceLocation: sourceLocation)
        #expect(try await DjangoClient(server: server).user(user.key).status == 401, sourceLocation: sourceLocation)
        let backend = try await #require(installation).backend()
        for token in [user.account.accessToken, user.pair.accessToken, user.account.refreshToken, user.pair.refreshToken] {
            #expect(try await server.introspect(token, backend).text == #"{"active":false}"#, sourceLocation: sourceLocation)
        }
    }

    @Test func `all sessions are in one list, whichever API asks`() async throws {
        let user = try await signedInEverywhere()
        #expect(try await devices(user.account.accessToken) == ["", "token", "cookie", "django"])
        #expect(try await devices(user.pair.accessToken) == ["", "token", "cookie", "django"])
        let seen = try await user.cookie.send("GET", "/sessions").json["sessions"]?.arrayValue ?? []
        #expect(Set(seen.compactMap { $0["device"]?.stringValue }) == ["", "token", "cookie", "django"])
        #expect(seen.filter { $0["current"] == true }.map { $0["device"] } == ["cookie"])
    }

    @Test func `whoever signs out everywhere by cookie ends each session at its next request`() async throws {
        let user = try await signedInEverywhere()
        #expect(try await user.cookie.send("POST", "/logout-all").status == 200)
        try await expectOver(user)
    }

    @Test func `so does who signs out everywhere in the app`() async throws {
        let user = try await signedInEverywhere()
        let response = try await server.delete("/auth/sessions", bearer: user.pair.accessToken)
        #expect(response.status == 204)
        #expect(response.body.isEmpty)
        try await expectOver(user)
        #expect(try await server.delete("/auth/sessions", bearer: user.pair.accessToken).status == 401)
    }

    @Test func `the app may keep the session that asks`() async throws {
        let user = try await signedInEverywhere()
        #expect(try await server.delete("/auth/sessions?keep=current", bearer: user.account.accessToken).status == 204)
        #expect(try await devices(user.account.accessToken) == [""])
        #expect(try await user.cookie.touch().status == 401)
        #expect(try await server.delete("/auth/sessions?keep=all", bearer: user.account.accessToken).status == 400)
        #expect(try await devices(user.account.accessToken) == [""])
    }

    @Test func `so does the end of the account`() async throws {
        let user = try await signedInEverywhere()
        #expect(try await server.delete("/auth/me", bearer: user.account.accessToken).status == 204)
        #expect(try await server.get("/auth/me", bearer: user.pair.accessToken).status == 404)
        expectInvalidBearer(try await server.renew(user.pair.refreshToken))
        #expect(try await user.cookie.touch().status == 401)
    }

    @Test func `no API takes what another has given out, where it means something else`() async throws {
        let user = try await signedInEverywhere()
        let cookie = try #require(user.cookie.cookies["sid"])
        expectInvalidBearer(try await server.renew(cookie))
        expectInvalidBearer(try await server.drop(cookie))
        #expect(try await server.get("/auth/me", bearer: cookie).status == 401)
        #expect(try await server.post("/auth/refresh", ["refreshToken": .string(cookie)]).status == 401)
        let backend = try await #require(installation).backend()
        #expect(try await server.introspect(cookie, backend).text == #"{"active":false}"#)
        for token in [user.pair.accessToken, user.pair.refreshToken] {
            #expect(try await server.send("GET", "/touch", [("Cookie", "sid=\(token)")]).status == 401)
        }
        #expect(try await user.cookie.touch().status == 200)
    }
}
