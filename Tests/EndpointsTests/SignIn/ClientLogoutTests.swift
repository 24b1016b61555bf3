import JOSE
import Server
import TestSupport
import Testing
import Text

/// Signing out for clients (OpenID Connect RP-Initiated, Front-Channel and Back-Channel Logout 1.0).
@Suite(.needsServers, .installation(), .serialized) struct ClientLogoutTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var server: TestHTTPClient { get throws { try installation.server } }
    private static let back = "https://rp.example/bye"

    /// Somebody who has signed in to a client, and their id token.
    private func signedIn(_ client: PageClient) async throws -> (Account, PageVisitor, tokens: JSONValue, hint: String) {
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        let page = try await visitor.follow(visitor.open(client.authorize()))
        let answer = try await visitor.follow(
            visitor.submit(page, "/sign-in", [("email", account.email), ("password", Account.password)]))
        let tokens = try await client.tokens(answer, try server)
        return (account, visitor, tokens, try #require(tokens["id_token"]?.stringValue))
    }

    private func logout(_ fields: [(String, String)]) -> String {
        "/oauth2/logout?" + PercentEncoding.encode(fields: fields.map { (name: $0.0, value: $0.1) })
    }

    @Test func `an id token signs its user out at once, and leads back to the client`() async throws {
        let client = try await installation.addPageClient("--first-party", "--post-logout-redirect-uri", Self.back)
        let (_, visitor, tokens, hint) = try await signedIn(client)
        let fields = [("id_token_hint", hint), ("post_logout_redirect_uri", Self.back), ("state", "s t&")]
        #expect(
            try await visitor.open(logout(fields.map { $0.0 == "post_logout_redirect_uri" ? ($0.0, Self.back + "/") : $0 }))
                .status == 400)
        #expect(try await visitor.open(logout(fields + [("client_id", "other")])).status == 400)
        #expect(visitor.session != nil)
        // As a form of the client's page sends it, without our cookies.
        let posted = try await PageVisitor(try server).post(
            "/oauth2/logout", fields, origin: "https://rp.example", site: "cross-site")
        let location = try #require(posted.value("Location"))
        #expect(posted.status == 303 && location.hasPrefix("/oauth2/logout?"))
        try installation.clock.advance(by: .seconds(7200))
        let (account2, again, _, late) = try await signedIn(client)
        #expect(!account2.id.isEmpty)
        let done = try await again.open(
            logout([("id_token_hint", late), ("post_logout_redirect_uri", Self.back), ("state", "s t&")]))
        #expect(done.status == 303 && done.value("Location") == Self.back + "?state=s%20t%26")
        #expect(again.session == nil)
        #expect(try await again.open("/account").status == 303)
        #expect(tokens["access_token"] != nil)
    }

    @Test func `a browser that was not used for long is signed out of what clients still use`() async throws {
        let client = try await installation.addPageClient("--first-party", "--post-logout-redirect-uri", Self.back)
        for asks in [true, false] {
            let (_, visitor, tokens, hint) = try await signedIn(client)
            try installation.clock.advance(by: .seconds(7200))
            #expect(try await visitor.open("/account").status == 303)
            func refresh() async throws -> Int {
                let fields = [("grant_type", "refresh_token"), ("refresh_token", tokens["refresh_token"]?.stringValue ?? "")]
                return try await server.form("/oauth2/token", fields, client.credentials).status
            }
            #expect(try await refresh() == 200)
            if asks {
                let page = try await visitor.open(logout([("client_id", client.credentials.id)]))
                #expect(page.status == 200 && page.text.contains("Sign out?"))
                #expect(try await refresh() == 200)
                #expect(try await visitor.submit(page, "/sign-out", []).status == 200)
            } else {
                #expect(try await visitor.open(logout([("id_token_hint", hint)])).status == 200)
            }
            #expect(try await refresh() == 400)
        }
    }

    @Test func `of two tabs that sign in at once both are signed out`() async throws {
        let client = try await installation.addPageClient("--first-party")
        let (one, two) = (try await server.signUp(), try await server.signUp())
        // Nobody but the user in the browser ends what the other tab has.
        for (second, isSameBrowser, isEnded) in [(one, true, true), (one, false, false), (two, true, false)] {
            let (tab, other) = (PageVisitor(try server), PageVisitor(try server))
            let page = try await tab.follow(tab.open(client.authorize()))
            other.client.cookies = tab.client.cookies
            let otherPage = try await other.follow(other.open(client.authorize()))
            var tokens: [JSONValue] = []
            for (tab, page, account) in [(tab, page, one), (other, otherPage, second)] {
                let answer = try await tab.follow(
                    tab.submit(page, "/sign-in", [("email", account.email), ("password", Account.password)]))
                tokens.append(try await client.tokens(answer, try server))
            }
            for tokens in tokens { #expect(try await refresh(tokens, client) == 200) }
            // Whose cookie came last is the browser's.
            let leaving = isSameBrowser ? other : PageVisitor(try server)
            leaving.client.cookies["kidoban_session"] = other.session
            #expect(try await leaving.submit(leaving.open("/sign-out"), "/sign-out", []).status == 200)
            #expect(try await refresh(tokens[0], client) == (isEnded ? 400 : 200))
            #expect(try await refresh(tokens[1], client) == 400)
        }
    }

    /// Signs a user in in two tabs at once. The browser has the cookie of the second; what the first has got is known to its client only.
    private func twoTabs(_ client: PageClient, _ account: Account) async throws -> (browser: PageVisitor, tokens: [JSONValue]) {
        let (tab, browser) = (PageVisitor(try server), PageVisitor(try server))
        let page = try await tab.follow(tab.open(client.authorize()))
        browser.client.cookies = tab.client.cookies
        let otherPage = try await browser.follow(browser.open(client.authorize()))
        var tokens: [JSONValue] = []
        for (tab, page) in [(tab, page), (browser, otherPage)] {
            let answer = try await tab.follow(
                tab.submit(page, "/sign-in", [("email", account.email), ("password", Account.password)]))
            tokens.append(try await client.tokens(answer, try server))
        }
        return (browser, tokens)
    }

    private func refresh(_ tokens: JSONValue, _ client: PageClient) async throws -> Int {
        let fields = [("grant_type", "refresh_token"), ("refresh_token", tokens["refresh_token"]?.stringValue ?? "")]
        return try await server.form("/oauth2/token", fields, client.credentials).status
    }

    @Test func `whoever signs in ends what another has begun in the browser's tabs`() async throws {
        let client = try await installation.addPageClient("--first-party")
        let (one, two) = (try await server.signUp(), try await server.signUp())
        let (browser, tokens) = try await twoTabs(client, one)
        let (again, fields) = (try await browser.open("/sign-in"), [("email", two.email), ("password", Account.password)])
        #expect(try await browser.submit(again, "/sign-in", fields).status == 303)
        for tokens in tokens { #expect(try await refresh(tokens, client) == 400) }
    }

    /// What is done in a browser.
    enum Leaving: CaseIterable {
        case button, request, otherUser
    }

    @Test(arguments: Leaving.allCases)
    func `a browser whose session has ended elsewhere ends that of its other tab`(leaving: Leaving) async throws {
        let client = try await installation.addPageClient("--first-party")
        let (one, two) = (try await server.signUp(), try await server.signUp())
        let (browser, tokens) = try await twoTabs(client, one)
        let page = try await browser.open(leaving == .otherUser ? "/sign-in" : "/sign-out")
        let access = try #require(tokens[1]["access_token"]?.stringValue)
        let sid = try await server.introspect(access, installation.backend()).json["sid"]?.stringValue ?? ""
        #expect(try await server.delete("/auth/sessions/\(sid)", bearer: one.accessToken).status == 204)
        #expect(try await refresh(tokens[0], client) == 200)
        switch leaving {
        case .button: #expect(try await browser.submit(page, "/sign-out", []).status == 200)
        case .request: #expect(try await browser.open(logout([])).status == 200)
        case .otherUser:
            let fields = [("email", two.email), ("password", Account.password)]
            #expect(try await browser.submit(page, "/sign-in", fields).status == 303)
        }
        #expect(try await refresh(tokens[0], client) == 400)
    }

    @Test func `the cookies that a browser had before it signed out end nothing that it has begun since`() async throws {
        let client = try await installation.addPageClient("--first-party")
        let (account, browser, _, _) = try await signedIn(client)
        let copy = PageVisitor(try server)
        copy.client.cookies = browser.client.cookies
        #expect(try await browser.submit(browser.open("/sign-out"), "/sign-out", []).status == 200)
        let page = try await browser.follow(browser.open(client.authorize()))
        let answer = try await browser.follow(
            browser.submit(page, "/sign-in", [("email", account.email), ("password", Account.password)]))
        let tokens = try await client.tokens(answer, try server)
        for path in ["/sign-out", logout([])] { #expect(try await copy.open(path).status == 200) }
        let other = try await server.signUp()
        let fields = [("email", other.email), ("password", Account.password)]
        #expect(try await copy.submit(copy.open("/sign-in"), "/sign-in", fields).status == 303)
        #expect(try await refresh(tokens, client) == 200)
    }

    @Test func `signing in again and again does not push another tab out of what signing out ends`() async throws {
        let client = try await installation.addPageClient("--first-party")
        let account = try await server.signUp()
        let (browser, tokens) = try await twoTabs(client, account)
        for _ in 0..<8 {
            let page = try await browser.open("/sign-in")
            let fields = [("email", account.email), ("password", Account.password)]
            #expect(try await browser.submit(page, "/sign-in", fields).status == 303)
        }
        #expect(try await refresh(tokens[0], client) == 200)
        #expect(try await browser.submit(browser.open("/sign-out"), "/sign-out", []).status == 200)
        #expect(try await refresh(tokens[0], client) == 400)
    }

    @Test func `an id token ends the sessions of its user in a browser whose cookie is lost, and no others`() async throws {
        let client = try await installation.addPageClient("--first-party", "--post-logout-redirect-uri", Self.back)
        let (_, visitor, tokens, hint) = try await signedIn(client)
        let (_, _, _, foreign) = try await signedIn(client)
        visitor.client.cookies["kidoban_session"] = nil
        let elsewhere = PageVisitor(try server)
        _ = try await elsewhere.open("/sign-in")
        for (browser, hint) in [(visitor, foreign), (visitor, "x.y.z"), (elsewhere, hint), (PageVisitor(try server), hint)] {
            #expect(try await browser.open(logout([("id_token_hint", hint)])).status == 200)
            #expect(try await refresh(tokens, client) == 200)
        }
        let done = try await visitor.open(logout([("id_token_hint", hint), ("post_logout_redirect_uri", Self.back)]))
        #expect(done.status == 303 && done.value("Location") == Self.back)
        #expect(try await refresh(tokens, client) == 400)
    }

    @Test func `without an id token of the user's it asks first`() async throws {
        let client = try await installation.addPageClient("--first-party", "--post-logout-redirect-uri", Self.back)
        let (_, _, _, others) = try await signedIn(client)
        let (_, visitor, tokens, _) = try await signedIn(client)
        for fields in [
            [], [("id_token_hint", others)], [("id_token_hint", "x.y.z")], [("client_id", client.credentials.id)],
            [("post_logout_redirect_uri", Self.back)],
        ] {
            let page = try await visitor.open(logout(fields))
            #expect(page.status == 200 && page.text.contains("Sign out?") && visitor.session != nil)
        }
        let page = try await visitor.open(
            logout([("client_id", client.credentials.id), ("post_logout_redirect_uri", Self.back), ("state", "1")]))
        let done = try await visitor.submit(page, "/sign-out", [])
        #expect(done.status == 303 && done.value("Location") == Self.back + "?state=1")
        let accessToken = try #require(tokens["access_token"]?.stringValue)
        #expect(try await server.get("/oauth2/userinfo", bearer: accessToken).status == 401)
        // Where nobody can tell whose address it is, nobody goes.
        let nowhere = try await visitor.open(logout([("post_logout_redirect_uri", "https://evil.example/")]))
        #expect(nowhere.status == 200 && !nowhere.text.contains("evil.example"))
        let bad = try await visitor.post(
            "/sign-out", [("client_id", client.credentials.id), ("post_logout_redirect_uri", "https://evil.example/")])
        #expect(bad.status == 400)
    }

    @Test func `a client with offline access hears of the end of the browser's session, and keeps its own`() async throws {
        let listener = try TestHTTPServer.start { _ in .response(status: 200) }
        let client = try await installation.addPageClient(
            "--first-party", "--back-channel-logout-uri", listener.url("/backchannel", host: "127.0.0.1"))
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        let path = client.authorize().replacing("profile%20email", with: "offline_access")
        let answer = try await visitor.follow(
            visitor.submit(
                visitor.follow(visitor.open(path)), "/sign-in", [("email", account.email), ("password", Account.password)]))
        let tokens = try await client.tokens(answer, try server)
        let hint = try #require(tokens["id_token"]?.stringValue)
        let sid = try #require(JSON.parse(Base64URL.decode(hint.split(separator: ".")[1]) ?? [])["sid"]?.stringValue)
        _ = try await visitor.submit(try await visitor.open("/sign-out"), "/sign-out", [])
        try await eventually { !listener.requests.isEmpty }
        let parts = try #require(listener.requests.first).text.dropFirst("logout_token=".count).split(separator: ".")
        let claims = try JSON.parse(Base64URL.decode(parts[1]) ?? [])
        #expect(claims["sid"]?.stringValue == sid && claims["sub"]?.stringValue == account.id)
        let refreshed = try await server.form(
            "/oauth2/token",
            [("grant_type", "refresh_token"), ("refresh_token", tokens["refresh_token"]?.stringValue ?? "")], client.credentials)
        #expect(refreshed.status == 200, "\(refreshed.text)")
    }

    @Test(.timeLimit(.minutes(5))) func `clients' servers are told of a session that ends because a refresh token came again`()
        async throws
    {
        let listener = try TestHTTPServer.start { _ in .response(status: 200) }
        let client = try await installation.addPageClient(
            "--first-party", "--rotate", "--back-channel-logout-uri", listener.url("/backchannel", host: "127.0.0.1"))
        let (_, _, tokens, _) = try await signedIn(client)
        func refresh(_ token: String) async throws -> TestHTTPResponse {
            try await server.form(
                "/oauth2/token", [("grant_type", "refresh_token"), ("refresh_token", token)], client.credentials)
        }
        let first = try #require(tokens["refresh_token"]?.stringValue)
        let second = try #require(try await refresh(first).json["refresh_token"]?.stringValue)
        #expect(try await refresh(second).status == 200)
        #expect(try await refresh(first).status == 400)
        try await eventually { listener.requests.count == 1 }
        #expect(try #require(listener.requests.first).text.hasPrefix("logout_token="))
    }

    @Test func `clients' own pages are loaded when a session ends`() async throws {
        let client = try await installation.addPageClient(
            "--first-party", "--post-logout-redirect-uri", Self.back, "--front-channel-logout-uri", "https://rp.example/front?a=1"
        )
        let (_, visitor, _, hint) = try await signedIn(client)
        let done = try await visitor.open(logout([("id_token_hint", hint), ("post_logout_redirect_uri", Self.back)]))
        #expect(done.status == 200)
        #expect(done.text.contains("<iframe src=\"https://rp.example/front?a=1&amp;iss=http%3A%2F%2Flocalhost%3A8080&amp;sid="))
        #expect(done.value("Content-Security-Policy")?.contains("frame-src https://rp.example") ?? false)
        #expect(done.text.contains("http-equiv=\"refresh\" content=\"3;url=\(Self.back)\""))
    }

    @Test func `clients' servers are told of the end of a session, whatever ends it`() async throws {
        let listener = try TestHTTPServer.start { _ in .response(status: 200) }
        let client = try await installation.addPageClient(
            "--first-party", "--back-channel-logout-uri", listener.url("/backchannel", host: "127.0.0.1"))
        let (account, visitor, _, hint) = try await signedIn(client)
        let sid = try #require(JSON.parse(Base64URL.decode(hint.split(separator: ".")[1]) ?? [])["sid"]?.stringValue)
        _ = try await visitor.submit(try await visitor.open("/sign-out"), "/sign-out", [])
        try await eventually { !listener.requests.isEmpty }
        let request = try #require(listener.requests.first)
        #expect(request.method == "POST" && request.text.hasPrefix("logout_token="))
        let parts = request.text.dropFirst("logout_token=".count).split(separator: ".")
        let header = try JSON.parse(Base64URL.decode(parts[0]) ?? [])
        let claims = try JSON.parse(Base64URL.decode(parts[1]) ?? [])
        #expect(header["typ"] == "logout+jwt" && header["alg"] == "RS256")
        #expect(claims["iss"]?.stringValue == PageVisitor.origin && claims["aud"]?.stringValue == client.credentials.id)
        #expect(claims["sub"]?.stringValue == account.id && claims["sid"]?.stringValue == sid && claims["nonce"] == nil)
        #expect(claims["events"]?["http://schemas.openid.net/event/backchannel-logout"] == .object(JSONObject()))
        // By another device.
        let other = PageVisitor(try server)
        let answer = try await other.follow(
            other.submit(
                try await other.follow(other.open(client.authorize())), "/sign-in",
                [("email", account.email), ("password", Account.password)]))
        _ = try await client.tokens(answer, try server)
        #expect(try await server.delete("/auth/sessions", bearer: account.accessToken).status < 300)
        try await eventually { listener.requests.count == 2 }
    }
}
