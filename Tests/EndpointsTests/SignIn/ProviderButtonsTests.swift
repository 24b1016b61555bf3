import Server
import TestSupport
import Testing
import Text

/// The buttons of other providers: the authorization code flow there, bound to the browser in which it began.
@Suite(.needsServers, .installation(TestProvider.configure)) struct ProviderButtonsTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var server: TestHTTPClient { get throws { try installation.server } }

    private func begin(_ visitor: PageVisitor, at path: String = "/sign-in") async throws -> (state: String, nonce: String) {
        let page = try await visitor.open(path)
        #expect(page.text.contains("Continue with Google"))
        let answer = try await visitor.submit(page, "/sign-in/provider", [("provider", "google")])
        let location = try #require(answer.value("Location"))
        #expect(answer.status == 303 && location.hasPrefix("https://accounts.google.com/o/oauth2/v2/auth?"))
        #expect(PageClient.parameter("code_challenge_method", of: location) == "S256")
        #expect(PageClient.parameter("redirect_uri", of: location) == "\(PageVisitor.origin)/sign-in/callback/google")
        return (
            try #require(PageClient.parameter("state", of: location)), try #require(PageClient.parameter("nonce", of: location))
        )
    }

    private func code(_ person: Person, nonce: String) throws -> String {
        TestProvider.code([
            "id_token": .string(try TestProvider.google(person, at: try installation.clock.now, ["nonce": .string(nonce)]))
        ])
    }

    private func callback(_ state: String, _ code: String) -> String {
        "/sign-in/callback/google?" + PercentEncoding.encode(fields: [("state", state), ("code", code)])
    }

    @Test func `somebody comes back signed in, once, and in their own browser only`() async throws {
        let (visitor, person) = (PageVisitor(try server), Person())
        let (state, nonce) = try await begin(visitor, at: "/sign-in?continue=%2Fdevice")
        let path = callback(state, try code(person, nonce: nonce))
        let stranger = PageVisitor(try server)
        _ = try await stranger.open("/sign-in")
        #expect(try await stranger.open(path).status == 400)
        #expect(stranger.session == nil)
        let done = try await visitor.open(path)
        #expect(done.status == 303 && done.value("Location") == "/device", "\(done.text)")
        #expect(try await visitor.open("/account").text.contains(person.email))
        #expect(try await visitor.open(path).status == 400)
        #expect(
            try TestProvider.requests("/token", with: "sign-in%2Fcallback%2Fgoogle").contains {
                $0.text.contains("code_verifier=")
            })
    }

    @Test func `a token with another nonce, a refusal and a made-up state sign nobody in`() async throws {
        let visitor = PageVisitor(try server)
        let first = try await begin(visitor)
        #expect(try await visitor.open(callback(first.state, try code(Person(), nonce: "other"))).status == 400)
        let second = try await begin(visitor)
        #expect(try await visitor.open("/sign-in/callback/google?state=\(second.state)&error=access_denied").status == 400)
        let third = try await begin(visitor)
        #expect(
            try await visitor.open(callback(String(third.state.reversed()), try code(Person(), nonce: third.nonce))).status == 400
        )
        #expect(try await visitor.open("/sign-in/callback/unknown?state=\(third.state)").status == 404)
        #expect(visitor.session == nil)
    }

    @Test func `an answer by a form of the provider's goes on where the cookie is`() async throws {
        let (visitor, person) = (PageVisitor(try server), Person())
        let (state, nonce) = try await begin(visitor)
        let without = PageVisitor(try server)
        let posted = try await without.post(
            "/sign-in/callback/google",
            [
                ("state", state), ("code", try code(person, nonce: nonce)),
                ("user", #"{"name":{"firstName":"Mei","lastName":"Tanaka"}}"#),
            ],
            origin: "https://appleid.apple.com", site: "cross-site")
        let location = try #require(posted.value("Location"))
        #expect(posted.status == 303 && location == "/sign-in/callback/google?state=\(state)")
        #expect(try await without.open(location).status == 400)
        #expect(try await visitor.open(location).status == 303)
        let account = try await visitor.open("/account")
        #expect(account.text.contains("Mei Tanaka"))
        // What has not been done does not look like what has.
        let kept = try await visitor.follow(visitor.submit(account, "/account/unlink", [("provider", "google")]))
        #expect(kept.text.contains("<p role=\"alert\" id=\"problem\">This is your only way to sign in."), "\(kept.text)")
    }

    @Test func `who has no address is called by name, or said to have none`() async throws {
        let (visitor, person) = (PageVisitor(try server), Person())
        let first = try await begin(visitor)
        #expect(try await visitor.open(callback(first.state, try code(person, nonce: first.nonce))).status == 303)
        try installation.change(person.email, "email = null, email_normalized = null, email_verified = false")
        let second = try await begin(visitor)
        #expect(try await visitor.open(callback(second.state, try code(person, nonce: second.nonce))).status == 303)
        let account = try await visitor.open("/account")
        #expect(account.text.contains("Your account has no e-mail address.") && !account.text.contains("<p></p>"))
        #expect(try await visitor.open("/sign-out").text.contains("You are signed in as a user without an e-mail address."))
        let client = try await installation.addPageClient()
        _ = try await visitor.submit(account, "/account/name", [("name", "Mei")])
        let asked = try await visitor.follow(visitor.open(client.authorize()))
        #expect(asked.text.contains("You are signed in as Mei."), "\(asked.text)")
    }

    @Test func `a browser without cookies is told so at the button too`() async throws {
        let page = try await PageVisitor(try server).open("/sign-in?continue=%2Fdevice")
        let answer = try await PageVisitor(try server).submit(page, "/sign-in/provider", [("provider", "google")])
        #expect(answer.status == 403 && answer.text.contains("keeps no cookies"), "\(answer.text)")
        #expect(answer.text.contains("name=\"continue\" value=\"/device\""))
    }

    @Test func `a provider becomes one more way in, and goes again while another is left`() async throws {
        let (account, visitor, person) = (try await server.signUp(), PageVisitor(try server), Person())
        try await visitor.signIn(account.email)
        let begun = try await visitor.submit(try await visitor.open("/account"), "/account/link", [("provider", "google")])
        let location = try #require(begun.value("Location"))
        let (state, nonce) = (
            PageClient.parameter("state", of: location) ?? "", PageClient.parameter("nonce", of: location) ?? ""
        )
        let linked = try await visitor.follow(visitor.open(callback(state, try code(person, nonce: nonce))))
        #expect(linked.status == 200 && linked.text.contains("You can sign in with Google from now on."))
        let unlinked = try await visitor.follow(visitor.submit(linked, "/account/unlink", []))
        #expect(unlinked.text.contains("Google no longer signs you in."))
    }
}
