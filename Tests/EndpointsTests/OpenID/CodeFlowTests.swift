import Crypto
import Identity
import JOSE
import TestSupport
import Testing
import Text

/// The authorization code flow, from the browser's first request to the user's data.
@Suite(.needsServers, .installation(), .serialized)
struct CodeFlowTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func claims(of token: JSONValue?) async throws -> JWTClaims {
        let keys = try JWKSet.parse(try await server.get("/.well-known/jwks.json").body)
        let jws = try UnverifiedJWS.parse(try #require(token?.stringValue))
        return try jws.verify(with: keys, allowing: [.rs256, .es256]).claims()
    }

    @Test func `a user signs in on the page, and the client gets tokens and the user's data`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (account, browser) = (try await server.signUp(), CookieClient(try server))
        let first = try await client.authorize(browser)
        #expect(first.status == 303)
        let continuation = try #require(first.continuation)
        #expect(first.value("Location")?.hasPrefix("/sign-in?continue=") == true)
        let next = try await browser.signInOnPage(account.email, continuing: continuation)
        let response = try await browser.send("GET", next)
        #expect(response.value("Location")?.hasPrefix(RelyingParty.redirectURI + "?") == true, "\(response.text)")
        #expect(response.redirected["state"] == "st4te")
        #expect(response.redirected["iss"] == "http://localhost:8080")
        let answer = try await client.redeem(try #require(response.redirected["code"]))
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.value("Cache-Control") == "no-store")
        #expect(answer.value("Pragma") == "no-cache")
        let tokens = answer.json
        #expect(tokens["token_type"] == "Bearer")
        #expect(tokens["scope"] == "openid email profile")
        #expect((tokens["expires_in"]?.integerValue ?? 0) > 800)
        let claims = try await claims(of: tokens["id_token"])
        #expect(claims.issuer == "http://localhost:8080")
        #expect(claims.subject == account.id)
        #expect(claims.audience == [client.id])
        #expect(claims["nonce"] == "n0nce")
        #expect(claims["amr"] == ["pwd"])
        #expect(claims["acr"] == "1")
        #expect(claims["email"] == nil)
        let access = try #require(tokens["access_token"]?.stringValue)
        #expect(claims["at_hash"]?.stringValue == Base64URL.encode(Array(SHA256.hash(access).bytes.prefix(16))))
        let info = try await server.get("/oauth2/userinfo", bearer: access)
        #expect(info.status == 200, "\(info.text)")
        #expect(info.json["sub"]?.stringValue == account.id)
        #expect(info.json["email"]?.stringValue == account.email)
        #expect(info.json["email_verified"] == false)
        #expect(info.json["updated_at"]?.integerValue != nil)
        #expect(info.json["name"] == nil)
        let posted = try await server.send(.form("/oauth2/userinfo", [("access_token", access)]))
        #expect(posted.json == info.json)
        let backend = try await installation.backend()
        let seen = try await server.introspect(access, backend).json
        #expect(seen["active"] == true)
        #expect(seen["client_id"]?.stringValue == client.id)
    }

    @Test(.needsOwnPostgres, .timeLimit(.minutes(5)))
    func `an exchange whose id token cannot be made leaves the code as it was, and no grant`() async throws {
        let postgres = try TestPostgres()
        try await Installation(databaseURL: postgres.connectionString).run { installation in
            let client = try await installation.relyingParty("--first-party")
            let (browser, account) = try await installation.browser()
            let code = try await client.code(browser, [("claims", #"{"id_token":{"email":null}}"#)])
            // Until each loop knows the client.
            for _ in 0..<60 { #expect(try await client.redeem("unknown").status == 400) }
            try TestDatabase.run("ALTER TABLE users RENAME TO away", on: postgres.connectionString)
            #expect(try await client.redeem(code).status == 500)
            try TestDatabase.run("ALTER TABLE away RENAME TO users", on: postgres.connectionString)
            let ended = "SELECT count(*) FROM audit_events WHERE kind = 'grant_ended'"
            try await eventually { try TestDatabase.rows(ended, on: postgres.connectionString) == [["1"]] }
            let answer = try await client.redeem(code)
            #expect(answer.status == 200, "\(answer.text)")
            let jws = try UnverifiedJWS.parse(try #require(answer.json["id_token"]?.stringValue))
            let keys = try JWKSet.parse(try await installation.server.get("/.well-known/jwks.json").body)
            #expect(try jws.verify(with: keys, allowing: [.rs256]).claims()["email"]?.stringValue == account.email)
            #expect(try await client.redeem(code).status == 400)
        }
    }

    @Test func `a refresh gives a new id token with the same auth_time, and scopes can be fewer but not more`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (browser, _) = try await installation.browser()
        let tokens = try await client.tokens(browser)
        let first = try await claims(of: tokens["id_token"])
        installation.clock.advance(by: .seconds(120))
        let refresh = try #require(tokens["refresh_token"]?.stringValue)
        let answer = try await client.refresh(refresh, [("scope", "openid email")])
        #expect(answer.status == 200, "\(answer.text)")
        let second = try await claims(of: answer.json["id_token"])
        #expect(second["auth_time"] == first["auth_time"])
        #expect(second["nonce"] == nil)
        #expect(second.issuedAt.map { $0.seconds } == first.issuedAt.map { $0.seconds + 120 })
        #expect(answer.json["scope"] == "openid email")
        let next = answer.json["refresh_token"]?.stringValue ?? refresh
        let more = try await client.refresh(next, [("scope", "openid address")])
        #expect(more.status == 400)
        #expect(more.json["error"] == "invalid_scope")
        let stranger = try await installation.relyingParty("--first-party")
        let foreign = try await stranger.refresh(next)
        #expect(foreign.status == 400)
        #expect(foreign.json["error"] == "invalid_grant")
        #expect(try await client.refresh(next).status == 200)
    }

    private func audiences(_ token: JSONValue?) async throws -> [String] {
        try await claims(of: token).audience
    }

    @Test func `what is taken from a client is in no further token, and its users stay signed in`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty(
            "--first-party", "--scope", "orders", "--scope", "bills", "--audience", "https://a.test", "--audience",
            "https://b.test")
        let (browser, _) = try await installation.browser()
        let scope = "openid orders bills"
        let wide = [("scope", scope), ("resource", "https://a.test")] as [(String, String?)]
        let tokens = try await client.tokens(browser, wide)
        let userInfo = "http://localhost:8080/oauth2/userinfo"
        #expect(try await audiences(tokens["access_token"]) == ["https://a.test", userInfo])
        let access = try #require(tokens["access_token"]?.stringValue)
        #expect(try await server.get("/oauth2/userinfo", bearer: access).status == 200)
        let (code, other) = (try await client.code(browser, wide), try await client.code(browser, wide))
        _ = try await installation.command(
            ["client", "update", client.id, "--scope", "orders", "--audience", "https://b.test"])
        var refresh = try #require(tokens["refresh_token"]?.stringValue)
        var answer = try await client.refresh(refresh)
        #expect(answer.status == 200 && answer.json["scope"] == "openid orders", "\(answer.text)")
        #expect(try await audiences(answer.json["access_token"]) == ["https://b.test", userInfo])
        refresh = answer.json["refresh_token"]?.stringValue ?? refresh
        answer = try await client.refresh(refresh, [("scope", "bills")])
        #expect(answer.status == 400 && answer.json["error"] == "invalid_scope", "\(answer.text)")
        answer = try await client.redeem(code)
        #expect(answer.status == 200 && answer.json["scope"] == "openid orders", "\(answer.text)")
        #expect(try await audiences(answer.json["access_token"]) == ["https://b.test", userInfo])
        _ = try await installation.command(["client", "update", client.id, "--redirect-uri", "https://client.example.com/new"])
        answer = try await client.redeem(other)
        #expect(answer.status == 400 && answer.json["error"] == "invalid_grant", "\(answer.text)")
        #expect(try await client.refresh(refresh).status == 200)
    }

    @Test func `of fifty parallel redemptions one wins, and a replay ends its tokens`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (browser, _) = try await installation.browser()
        let code = try await client.code(browser)
        let answers = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            for _ in 0..<50 { group.addTask { try await client.redeem(code) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.allSatisfy { $0.status == 200 || $0.json["error"] == "invalid_grant" })
        let tokens = try #require(answers.first { $0.status == 200 }).json
        let replay = try await client.redeem(code)
        #expect(replay.json["error"] == "invalid_grant")
        let access = try #require(tokens["access_token"]?.stringValue)
        #expect(try await server.get("/oauth2/userinfo", bearer: access).status == 401)
        #expect(try await client.refresh(try #require(tokens["refresh_token"]?.stringValue)).status == 400)
        // The browser's session stays.
        #expect(try await client.authorize(browser).redirected["code"] != nil)
    }

    @Test func `a code is bound to its client, its redirect URI and its verifier, and has one attempt`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let stranger = try await installation.relyingParty("--first-party")
        let (browser, _) = try await installation.browser()
        for changes in [
            [("code_verifier", nil)], [("code_verifier", "a" + RelyingParty.verifier)], [("redirect_uri", nil)],
            [("redirect_uri", RelyingParty.redirectURI + "/")],
        ] as [[(String, String?)]] {
            let code = try await client.code(browser)
            #expect(try await client.redeem(code, changes).json["error"] == "invalid_grant")
            #expect(try await client.redeem(code).json["error"] == "invalid_grant")
        }
        #expect(try await stranger.redeem(try await client.code(browser)).json["error"] == "invalid_grant")
        let late = try await client.code(browser)
        #expect(try await client.redeem(late + "A").json["error"] == "invalid_grant")
        #expect(try await client.redeem("").json["error"] == "invalid_request")
    }

    @Test func `a verifier without a challenge is refused`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party", "--pkce", "optional")
        let (browser, _) = try await installation.browser()
        let without: [(String, String?)] = [("code_challenge", nil), ("code_challenge_method", nil)]
        #expect(try await client.redeem(try await client.code(browser, without)).json["error"] == "invalid_grant")
        let right = try await client.redeem(try await client.code(browser, without), [("code_verifier", nil)])
        #expect(right.status == 200, "\(right.text)")
        // Who has sent a challenge is held to it.
        #expect(try await client.redeem(try await client.code(browser), [("code_verifier", nil)]).status == 400)
    }

    @Test func `offline access outlives the browser's session, other grants do not`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (browser, account) = try await installation.browser()
        let online = try await client.tokens(browser)
        let offline = try await client.tokens(browser, [("scope", "openid offline_access")])
        let sid = try await claims(of: online["id_token"])["sid"]?.stringValue ?? ""
        #expect(try await claims(of: offline["id_token"])["sid"]?.stringValue == sid)
        #expect(try await server.delete("/auth/sessions/\(sid)", bearer: account.accessToken).status < 300)
        #expect(try await client.refresh(online["refresh_token"]?.stringValue ?? "").json["error"] == "invalid_grant")
        let refreshed = try await client.refresh(offline["refresh_token"]?.stringValue ?? "")
        #expect(refreshed.status == 200)
        // No other session takes the place of the one that the client has heard of.
        #expect(try await claims(of: refreshed.json["id_token"])["sid"] == nil)
        #expect(try await client.authorize(browser).continuation != nil)
    }

    @Test func `a disabled user or client gets nothing in the middle of it`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (browser, account) = try await installation.browser()
        let (code, tokens) = (try await client.code(browser), try await client.tokens(browser))
        _ = try await installation.command(["user", "disable", account.email])
        #expect(try await client.redeem(code).json["error"] == "invalid_grant")
        #expect(try await client.refresh(tokens["refresh_token"]?.stringValue ?? "").json["error"] == "invalid_grant")
        let access = tokens["access_token"]?.stringValue ?? ""
        #expect(try await server.get("/oauth2/userinfo", bearer: access).status == 401)
    }

    @Test func `UserInfo says what is wrong with a token as RFC 6750 asks`() async throws {
        let installation = try #require(installation)
        let none = try await server.get("/oauth2/userinfo")
        #expect(none.status == 401)
        #expect(none.value("WWW-Authenticate") == #"Bearer realm="kidoban""#)
        let bad = try await server.get("/oauth2/userinfo", bearer: "nonsense")
        #expect(bad.status == 401)
        #expect(bad.value("WWW-Authenticate")?.contains(#"error="invalid_token""#) == true)
        let client = try await installation.relyingParty("--first-party")
        let (browser, account) = try await installation.browser()
        let plain = try await client.tokens(browser, [("scope", "email")])
        #expect(plain["id_token"] == nil)
        let access = plain["access_token"]?.stringValue ?? ""
        #expect([401, 403].contains(try await server.get("/oauth2/userinfo", bearer: access).status))
        var two = TestHTTPRequest.form("/oauth2/userinfo", [("access_token", access)])
        two.fields.append(("Authorization", "Bearer \(access)"))
        let refused = try await server.send(two)
        #expect(refused.json["error"] == "invalid_request")
        #expect(refused.value("WWW-Authenticate") == #"Bearer realm="kidoban", error="invalid_request""#)
        #expect(try await server.get("/oauth2/userinfo?access_token=\(access)").status == 401)
        _ = account
    }

    @Test func `a telephone number that an operator knows is told, and that nobody has proved it`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (browser, account) = try await installation.browser()
        _ = try await installation.command(["user", "claims", account.id, "--set", #"{"phone_number":"+441632960001"}"#])
        let tokens = try await client.tokens(browser, [("scope", "openid phone")])
        let info = try await server.get("/oauth2/userinfo", bearer: tokens["access_token"]?.stringValue)
        #expect(info.json["phone_number"] == "+441632960001", "\(info.text)")
        #expect(info.json["phone_number_verified"] == false)
    }

    @Test func `claims that are asked for by name come where they are asked for`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (browser, account) = try await installation.browser()
        let wanted = #"{"id_token":{"email":null},"userinfo":{"email_verified":{"essential":true}}}"#
        let tokens = try await client.tokens(browser, [("scope", "openid"), ("claims", wanted)])
        #expect(try await claims(of: tokens["id_token"])["email"]?.stringValue == account.email)
        let info = try await server.get("/oauth2/userinfo", bearer: tokens["access_token"]?.stringValue)
        #expect(info.keys == ["sub", "email_verified"])
        let request: [(name: String, value: String)] = [
            ("Authorization", "Bearer \(tokens["access_token"]?.stringValue ?? "")"), ("Accept", "application/jwt"),
        ]
        let signed = try await server.send("GET", "/oauth2/userinfo", request)
        #expect(signed.value("Content-Type") == "application/jwt")
        #expect(try await claims(of: .string(signed.text)).audience == [client.id])
    }

    @Test func `an operator says that a client gets the claims of UserInfo signed, and takes it back`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party", "--userinfo-algorithm", "ES256")
        func shown() async throws -> JSONValue? {
            let shown = try await installation.command(["client", "show", client.id, "--json"])
            return try JSON.parse(Array(shown.utf8))["userinfo_signed_response_alg"]
        }
        #expect(try await shown() == "ES256")
        let (browser, _) = try await installation.browser()
        let tokens = try await client.tokens(browser)
        let info = try await server.get("/oauth2/userinfo", bearer: tokens["access_token"]?.stringValue)
        #expect(info.status == 200 && info.value("Content-Type") == "application/jwt", "\(info.text)")
        #expect(try UnverifiedJWS.parse(info.text).header.algorithm == .es256)
        _ = try await installation.command(["client", "update", client.id, "--clear", "userinfo-algorithm"])
        #expect(try await shown() == nil)
    }
}
