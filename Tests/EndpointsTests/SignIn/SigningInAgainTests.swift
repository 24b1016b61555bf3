import Server
import TestSupport
import Testing
import Text

/// What becomes of clients when their user signs in once more in the same browser, as with `prompt=login` of another client.
@Suite(.needsServers, .installation(), .serialized) struct SigningInAgainTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var server: TestHTTPClient { get throws { try installation.server } }

    /// Has a client get tokens in a browser; `account` signs in where the client asks for it.
    private func tokens(
        _ client: PageClient, _ browser: PageVisitor, _ account: Account, _ more: [(String, String)] = []
    ) async throws -> JSONValue {
        var answer = try await browser.follow(browser.open(client.authorize(more)))
        if answer.status == 200 {
            let fields = [("email", account.email), ("password", Account.password)]
            answer = try await browser.follow(browser.submit(answer, "/sign-in", fields))
        }
        return try await client.tokens(answer, try server)
    }

    private func refresh(_ tokens: JSONValue, _ client: PageClient) async throws -> Int {
        let fields = [("grant_type", "refresh_token"), ("refresh_token", tokens["refresh_token"]?.stringValue ?? "")]
        return try await server.form("/oauth2/token", fields, client.credentials).status
    }

    private func refreshes(_ had: [(client: PageClient, tokens: JSONValue)]) async throws -> [Int] {
        var statuses: [Int] = []
        for (client, tokens) in had { statuses.append(try await refresh(tokens, client)) }
        return statuses
    }

    private func isActive(_ tokens: JSONValue) async throws -> Bool {
        let token = try #require(tokens["access_token"]?.stringValue)
        return try await server.introspect(token, installation.backend()).json["active"] == .bool(true)
    }

    /// The ids of the sessions that a user has in browsers.
    private func sessions(_ account: Account) async throws -> [String] {
        let list = try await server.get("/auth/sessions", bearer: account.accessToken).json
        return (list["sessions"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
    }

    private func signOut(_ browser: PageVisitor) async throws -> Int {
        try await browser.submit(browser.open("/sign-out"), "/sign-out", []).status
    }

    @Test(arguments: [("prompt", "login"), ("max_age", "0")])
    func `one client's new sign-in ends nothing of another, and signing out ends both`(name: String, value: String) async throws {
        let (first, second) = (
            try await installation.addPageClient("--first-party"), try await installation.addPageClient("--first-party")
        )
        let (account, browser) = (try await server.signUp(), PageVisitor(try server))
        let kept = try await tokens(first, browser, account)
        let old = try await tokens(second, browser, account)
        let cookie = browser.session
        let new = try await tokens(second, browser, account, [(name, value)])
        #expect(browser.session != cookie)
        #expect(try await isActive(kept))
        #expect(try await refresh(kept, first) == 200)
        // It has got anew what it had.
        #expect(try await !isActive(old))
        #expect(try await refresh(old, second) == 400)
        #expect(try await isActive(new))
        #expect(try await signOut(browser) == 200)
        #expect(try await !isActive(kept))
        #expect(try await refresh(kept, first) == 400)
        #expect(try await refresh(new, second) == 400)
    }

    @Test func `the cookie from before is void, and ends no more than what clients had by it`() async throws {
        let (first, second) = (
            try await installation.addPageClient("--first-party"), try await installation.addPageClient("--first-party")
        )
        let (account, browser, copy) = (try await server.signUp(), PageVisitor(try server), PageVisitor(try server))
        let kept = try await tokens(first, browser, account)
        copy.client.cookies = browser.client.cookies
        try installation.clock.advance(by: .seconds(1))
        let new = try await tokens(second, browser, account, [("prompt", "login")])
        #expect(try await copy.open("/account").status == 303)
        #expect(try await copy.open(first.authorize([("prompt", "none")])).value("Location")?.contains("login_required") == true)
        #expect(try await refresh(kept, first) == 200)
        // The same user signs in with it: as without.
        let again = PageVisitor(try server)
        again.client.cookies = copy.client.cookies
        #expect(try await again.signIn(account.email).status == 303)
        #expect(try await refresh(kept, first) == 200)
        #expect(try await copy.open("/sign-out").status == 200)
        #expect(try await refresh(kept, first) == 400)
        #expect(try await refresh(new, second) == 200)
        #expect(try await browser.open("/account").status == 200)
    }

    @Test(arguments: [false, true])
    func `a browser that never got its last cookie signs out of what it had before`(isOther: Bool) async throws {
        let (first, second) = (
            try await installation.addPageClient("--first-party"), try await installation.addPageClient("--first-party")
        )
        let (account, browser) = (try await server.signUp(), PageVisitor(try server))
        let oldest = try await tokens(first, browser, account)
        try installation.clock.advance(by: .seconds(1))
        let older = try await tokens(second, browser, account, [("prompt", "login")])
        try installation.clock.advance(by: .seconds(1))
        let cookies = browser.client.cookies
        #expect(try await browser.signIn(account.email).status == 303)
        browser.client.cookies = cookies
        #expect(try await refresh(oldest, first) == 200)
        if isOther {
            let other = try await server.signUp()
            #expect(try await browser.signIn(other.email).status == 303)
        } else {
            #expect(try await browser.open("/sign-out").status == 200)
        }
        #expect(try await refresh(oldest, first) == 400)
        #expect(try await refresh(older, second) == 400)
    }

    @Test func `two clients that ask for new sign-ins in turn push nothing out that lives`() async throws {
        let clients = try await [
            installation.addPageClient("--first-party"), installation.addPageClient("--first-party"),
            installation.addPageClient("--first-party"),
        ]
        let (account, browser) = (try await server.signUp(), PageVisitor(try server))
        let kept = try await tokens(clients[0], browser, account)
        for number in 0..<18 {
            try installation.clock.advance(by: .seconds(1))
            _ = try await tokens(clients[1 + number % 2], browser, account, [("prompt", "login")])
        }
        #expect(try await refresh(kept, clients[0]) == 200)
    }

    @Test(.timeLimit(.minutes(5))) func `the client that asks for it hears that its former session is over`() async throws {
        let listener = try TestHTTPServer.start { _ in .response(status: 200) }
        let other = try await installation.addPageClient("--first-party")
        let client = try await installation.addPageClient(
            "--first-party", "--back-channel-logout-uri", listener.url("/backchannel", host: "127.0.0.1"))
        let (account, browser) = (try await server.signUp(), PageVisitor(try server))
        _ = try await tokens(other, browser, account)
        let hint = try #require(try await tokens(client, browser, account)["id_token"]?.stringValue)
        let sid = try JSON.parse(Base64URL.decode(hint.split(separator: ".")[1]) ?? [])["sid"]?.stringValue
        _ = try await tokens(client, browser, account, [("prompt", "login")])
        try await eventually { !listener.requests.isEmpty }
        let parts = try #require(listener.requests.first).text.dropFirst("logout_token=".count).split(separator: ".")
        let told = try JSON.parse(Base64URL.decode(parts[1]) ?? [])
        #expect(told["sid"]?.stringValue == sid && sid != nil && told["sub"]?.stringValue == account.id)
    }

    @Test func `somebody else who signs in ends what all clients have, also of earlier sign-ins`() async throws {
        let (first, second) = (
            try await installation.addPageClient("--first-party"), try await installation.addPageClient("--first-party")
        )
        let (one, two) = (try await server.signUp(), try await server.signUp())
        let browser = PageVisitor(try server)
        let kept = try await tokens(first, browser, one)
        let new = try await tokens(second, browser, one, [("prompt", "login")])
        #expect(try await browser.signIn(two.email).status == 303)
        #expect(try await refresh(kept, first) == 400)
        #expect(try await refresh(new, second) == 400)
    }

    @Test func `signing in again and again for one client leaves two sessions, and the other client what it has`() async throws {
        let (first, second) = (
            try await installation.addPageClient("--first-party"), try await installation.addPageClient("--first-party")
        )
        let (account, browser) = (try await server.signUp(), PageVisitor(try server))
        let before = try await sessions(account).count
        let kept = try await tokens(first, browser, account)
        for _ in 0..<18 { _ = try await tokens(second, browser, account, [("prompt", "login")]) }
        #expect(try await sessions(account).count == before + 2)
        #expect(try await refresh(kept, first) == 200)
    }

    @Test func `the seventeenth session of a user in a browser ends the oldest`() async throws {
        let (account, browser) = (try await server.signUp(), PageVisitor(try server))
        var had: [(client: PageClient, tokens: JSONValue)] = []
        for _ in 0..<17 {
            let client = try await installation.addPageClient("--first-party")
            had.append((client, try await tokens(client, browser, account, [("prompt", "login")])))
            try installation.clock.advance(by: .seconds(1))
        }
        #expect(try await refreshes(had) == [400] + Array(repeating: 200, count: 16))
        #expect(try await signOut(browser) == 200)
        #expect(try await refreshes(had) == Array(repeating: 400, count: 17))
    }

    @Test func `a browser that has lost its secret signs out of what it had before, too`() async throws {
        let (first, second) = (
            try await installation.addPageClient("--first-party"), try await installation.addPageClient("--first-party")
        )
        let (account, browser) = (try await server.signUp(), PageVisitor(try server))
        let kept = try await tokens(first, browser, account)
        browser.client.cookies = ["kidoban_session": try #require(browser.session)]
        _ = try await tokens(second, browser, account, [("prompt", "login")])
        #expect(try await refresh(kept, first) == 200)
        #expect(try await signOut(browser) == 200)
        #expect(try await refresh(kept, first) == 400)
    }
}
