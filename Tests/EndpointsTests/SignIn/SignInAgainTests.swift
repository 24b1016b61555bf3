import JOSE
import Server
import TestSupport
import Testing
import Text

/// Somebody signs in once more in the same browser, as with `prompt=login`.
@Suite(.needsServers, .installation(), .serialized) struct SignInAgainTests {
    private let installation = Installation.current
    private var server: TestHTTPClient { get throws { try #require(installation).server } }

    /// A client with tokens from the session of a browser.
    private struct Holder {
        let client: RelyingParty
        let tokens: JSONValue

        func refresh() async throws -> TestHTTPResponse {
            try await client.refresh(try #require(tokens["refresh_token"]?.stringValue))
        }

        /// A claim of its id token.
        static func claim(_ name: String, _ tokens: JSONValue) throws -> JSONValue? {
            let parts = try #require(tokens["id_token"]?.stringValue).split(separator: ".")
            return try JSON.parse(Base64URL.decode(parts[1]) ?? [])[name]
        }
    }

    private func holder(_ browser: CookieClient) async throws -> Holder {
        let client = try await #require(installation).relyingParty("--first-party")
        return Holder(client: client, tokens: try await client.tokens(browser))
    }

    /// Signs in because a client asks for it.
    private func signInAgain(_ browser: CookieClient, _ account: Account, for client: RelyingParty) async throws -> String {
        let continuation = try #require(try await client.authorize(browser, [("prompt", "login")]).continuation)
        try #require(installation).clock.advance(by: .seconds(5))
        return try await browser.signInOnPage(account.email, continuing: continuation)
    }

    private func cookie(_ browser: CookieClient) throws -> String {
        try #require(browser.cookies["kidoban_session"])
    }

    @Test func `clients keep what they have, with the time of the sign-in that it is from, and the cookie becomes another`()
        async throws
    {
        let installation = try #require(installation)
        let (browser, account) = try await installation.browser()
        let first = try await holder(browser)
        let before = try cookie(browser)
        // The cookie has not been used for so long that it is no good any more, but what the client has is.
        installation.clock.advance(by: .seconds(3600))
        let second = try await installation.relyingParty("--first-party")
        #expect(try await second.authorize(browser, [("prompt", "none")]).redirected["error"] == "login_required")
        let next = try await signInAgain(browser, account, for: second)
        let redeemed = try await second.redeem(try #require(try await browser.send("GET", next).redirected["code"]))
        #expect(redeemed.status == 200)
        let refreshed = try await first.refresh()
        try #require(refreshed.status == 200, "\(refreshed.text)")
        let time = try #require(try Holder.claim("auth_time", first.tokens)?.integerValue)
        #expect(try Holder.claim("auth_time", refreshed.json)?.integerValue == time)
        #expect(try Holder.claim("sid", refreshed.json) == (try Holder.claim("sid", first.tokens)))
        #expect(try #require(try Holder.claim("auth_time", redeemed.json)?.integerValue) >= time + 3600)
        // Nobody profits from the cookie of before.
        #expect(try cookie(browser) != before)
        let thief = CookieClient(try server)
        thief.cookies["kidoban_session"] = before
        #expect(try await second.authorize(thief, [("prompt", "none")]).redirected["error"] == "login_required")
        #expect(try await second.authorize(browser, [("prompt", "none")]).redirected["code"] != nil)
    }

    @Test func `who signs out of the browser ends what clients have from every sign-in`() async throws {
        let installation = try #require(installation)
        let (browser, account) = try await installation.browser()
        var holders = [try await holder(browser)]
        for _ in 0..<2 {
            _ = try await signInAgain(browser, account, for: holders[0].client)
            holders.append(try await holder(browser))
        }
        for holder in holders { #expect(try await holder.refresh().status == 200) }
        let visitor = PageVisitor(try server)
        visitor.client.cookies["kidoban_session"] = try cookie(browser)
        _ = try await visitor.submit(try await visitor.open("/sign-out"), "/sign-out", [])
        for holder in holders {
            #expect(try await holder.refresh().status == 400)
            let accessToken = try #require(holder.tokens["access_token"]?.stringValue)
            #expect(try await server.get("/oauth2/userinfo", bearer: accessToken).status == 401)
        }
    }

    @Test func `somebody else who signs in ends what clients have of the user before`() async throws {
        let installation = try #require(installation)
        let (browser, account) = try await installation.browser()
        let first = try await holder(browser)
        _ = try await signInAgain(browser, account, for: first.client)
        let second = try await holder(browser)
        try await browser.signInOnPage(try await server.signUp().email)
        #expect(try await first.refresh().status == 400)
        #expect(try await second.refresh().status == 400)
    }

    @Test func `the session of the browser ends from another device with those that it had before`() async throws {
        let installation = try #require(installation)
        let (browser, account) = try await installation.browser()
        let first = try await holder(browser)
        _ = try await signInAgain(browser, account, for: first.client)
        let second = try await holder(browser)
        let phone = account.accessToken
        let id = try #require(try Holder.claim("sid", second.tokens)?.stringValue)
        #expect(try await server.delete("/auth/sessions/\(id)", bearer: phone).status == 204)
        #expect(try await first.refresh().status == 400)
        #expect(try await second.refresh().status == 400)
        #expect(try await server.get("/auth/me", bearer: phone).status == 200)
    }

    @Test func `a browser that has not heard of a sign-in is still signed out of all`() async throws {
        let installation = try #require(installation)
        let (browser, account) = try await installation.browser()
        let first = try await holder(browser)
        let before = try cookie(browser)
        _ = try await signInAgain(browser, account, for: first.client)
        // As if the answer had been lost.
        browser.cookies["kidoban_session"] = before
        _ = try await browser.signInOnPage(account.email)
        #expect(try await first.refresh().status == 200)
        try await browser.signInOnPage(try await server.signUp().email)
        #expect(try await first.refresh().status == 400)
    }

    @Test func `of very many sign-ins clients keep what they have from the last`() async throws {
        let installation = try #require(installation)
        let (browser, account) = try await installation.browser()
        var holders = [try await holder(browser)]
        for _ in 0..<9 {
            _ = try await signInAgain(browser, account, for: holders[0].client)
            holders.append(try await holder(browser))
        }
        #expect(try await holders[0].refresh().status == 400)
        for holder in holders.dropFirst() { #expect(try await holder.refresh().status == 200) }
    }

    @Test func `a session from which nobody has anything ends`() async throws {
        let installation = try #require(installation)
        let (browser, account) = try await installation.browser()
        for _ in 0..<3 { try await browser.signInOnPage(account.email) }
        let sessions = try await server.get("/auth/sessions", bearer: account.accessToken).json["sessions"]?.arrayValue
        #expect(sessions?.count == 2, "\(sessions ?? [])")
    }
}
