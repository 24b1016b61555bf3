import Server
import TestSupport
import Testing
import Text

/// Consent, the account page, and what ends what.
@Suite(.needsServers, .installation(), .serialized) struct ConsentTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var server: TestHTTPClient { get throws { try installation.server } }

    private func atConsent(_ client: PageClient) async throws -> (Account, PageVisitor, TestHTTPResponse) {
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        let page = try await visitor.follow(visitor.open(client.authorize()))
        let signedIn = try await visitor.submit(page, "/sign-in", [("email", account.email), ("password", Account.password)])
        return (account, visitor, try await visitor.follow(signedIn))
    }

    @Test func `a client gets a code when the user agrees, and is not asked for again until that is taken back`() async throws {
        let client = try await installation.addPageClient()
        let (_, visitor, page) = try await atConsent(client)
        #expect(
            page.text.contains("Evening Post") && page.text.contains("id=\"consent\"")
                && page.text.contains("your e-mail address"))
        let agreed = try await visitor.follow(visitor.submit(page, "/consent", [("decision", "allow")]))
        #expect(agreed.status == 303 && agreed.value("Location")?.hasPrefix(client.redirectURI + "?code=") ?? false)
        let tokens = try await client.tokens(agreed, try server)
        let accessToken = try #require(tokens["access_token"]?.stringValue)
        #expect(try await server.get("/oauth2/userinfo", bearer: accessToken).status == 200)
        #expect(try await visitor.open(client.authorize([("prompt", "none")])).value("Location")?.contains("code=") ?? false)
        let account = try await visitor.open("/account")
        #expect(account.text.contains("Evening Post"))
        let withdrawn = try await visitor.follow(visitor.submit(account, "/account/withdraw", []))
        #expect(withdrawn.text.contains("Evening Post has no access any more."))
        #expect(!(try await visitor.open("/account").text.contains("role=\"status\"")))
        #expect(try await server.get("/oauth2/userinfo", bearer: accessToken).status == 401)
        #expect(
            try await visitor.open(client.authorize([("prompt", "none")])).value("Location")?.contains("error=consent_required")
                ?? false)
    }

    @Test func `a code that is out when the consent is withdrawn is good no more`() async throws {
        let client = try await installation.addPageClient("--scope", "openid", "--scope", "offline_access")
        let (_, visitor, page) = try await atConsent(client)
        let agreed = try await visitor.follow(visitor.submit(page, "/consent", [("decision", "allow")]))
        let code = try #require(PageClient.parameter("code", of: agreed.value("Location") ?? ""))
        _ = try await visitor.follow(visitor.submit(try await visitor.open("/account"), "/account/withdraw", []))
        let answer = try await server.form(
            "/oauth2/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", client.redirectURI),
                ("code_verifier", PageClient.verifier),
            ], client.credentials)
        #expect(answer.status == 400 && answer.json["error"] == "invalid_grant", "\(answer.text)")
    }

    @Test func `for an app with a scheme of its own, which others can take, the user is asked each time`() async throws {
        let (id, uri) = ("native-\(Person.unique())", "com.example.evening:/callback")
        _ = try await installation.command(["client", "add", "Evening Post", "--native", "--id", id, "--redirect-uri", uri])
        let client = PageClient(credentials: Credentials(id: id, secret: ""), redirectURI: uri)
        let (_, visitor, page) = try await atConsent(client)
        let agreed = try await visitor.follow(visitor.submit(page, "/consent", [("decision", "allow")]))
        #expect(agreed.value("Location")?.hasPrefix(uri + "?code=") == true, "\(agreed.text)")
        #expect(try await visitor.follow(visitor.open(client.authorize())).text.contains("id=\"consent\""))
        let silent = try await visitor.open(client.authorize([("prompt", "none")]))
        #expect(silent.value("Location")?.contains("error=consent_required") == true)
    }

    enum Recovery: CaseIterable {
        /// By a new password from a mail, where the address was never proved, or was.
        case takenBack, reset
        case undone
    }

    @Test(arguments: Recovery.allCases)
    func `whoever had the account before has agreed to nothing, when its owner is back`(_ recovery: Recovery) async throws {
        let client = try await installation.addPageClient()
        let (account, visitor, page) = try await atConsent(client)
        #expect(try await visitor.follow(visitor.submit(page, "/consent", [("decision", "allow")])).status == 303)
        func code(_ kind: String) throws -> String {
            try #require(try installation.mails(to: account.email).last { $0.kind == kind }, "no \(kind)").code
        }
        var password = Account.password
        if recovery != .takenBack { try installation.change(account.email, "email_verified = true") }
        if recovery == .undone {
            let body: JSONValue = ["email": .string(Account.newEmail())]
            #expect(try await server.post("/auth/me/email", body, bearer: account.accessToken).status == 202)
            #expect(try await server.form("/account/undo", [("code", code("address_change_requested"))]).status == 200)
        } else {
            password = "another horse battery"
            _ = try await DjangoClient(server: try server).send("/password/reset/", [("email", account.email)])
            let fields = [("code", try code("password_reset")), ("password", password), ("password_again", password)]
            #expect(try await server.form("/account/password", fields).status == 200)
        }
        let owner = PageVisitor(try server)
        let asked = try await owner.follow(owner.open(client.authorize()))
        let next = try await owner.follow(owner.submit(asked, "/sign-in", [("email", account.email), ("password", password)]))
        #expect(next.text.contains("id=\"consent\""), "\(next.text)")
    }

    @Test func `who does not agree goes back to the client with that`() async throws {
        let client = try await installation.addPageClient()
        let (_, visitor, page) = try await atConsent(client)
        let denied = try await visitor.submit(page, "/consent", [("decision", "deny")])
        let location = try #require(denied.value("Location"))
        #expect(denied.status == 303 && location.hasPrefix(client.redirectURI + "?error=access_denied"))
        #expect(PageClient.parameter("state", of: location) == "the state&more")
        #expect(PageClient.parameter("iss", of: location) == PageVisitor.origin)
        #expect(try await visitor.submit(page, "/consent", [("decision", "maybe")]).status == 400)
    }

    @Test func `a consent is not given by another site, by another session's form, or without one`() async throws {
        let client = try await installation.addPageClient()
        let (account, visitor, page) = try await atConsent(client)
        let fields = try #require(PageVisitor.hidden(page, "/consent")) + [("decision", "allow")]
        #expect(try await visitor.post("/consent", fields, origin: "https://evil.example", site: "cross-site").status == 403)
        #expect(try await visitor.post("/consent", fields.filter { $0.0 != "form_token" }).status == 403)
        try await visitor.signIn(account.email)
        let stale = try await visitor.post("/consent", fields)
        // It is asked once more, with a form that is good.
        #expect(stale.status == 403 && stale.text.contains("id=\"consent\""))
        #expect(try await PageVisitor(try server).post("/consent", fields).status == 303)
        #expect(
            try await visitor.follow(visitor.submit(stale, "/consent", [("decision", "allow")])).value("Location")?.contains(
                "code=") ?? false)
    }

    @Test func `the users of a first-party client are not asked`() async throws {
        let client = try await installation.addPageClient("--first-party")
        let (_, _, answer) = try await atConsent(client)
        #expect(answer.status == 303 && answer.value("Location")?.hasPrefix(client.redirectURI + "?code=") ?? false)
    }

    @Test func `a request that is not right is shown on a page, and nobody is redirected`() async throws {
        let client = try await installation.addPageClient()
        let visitor = PageVisitor(try server)
        let path = client.authorize().replacing("rp.example", with: "evil.example")
        let page = try await visitor.open(path)
        #expect(page.status == 400 && page.value("Location") == nil && page.text.contains("This sign-in cannot go on"))
        let consent = try await visitor.open("/consent?continue=" + PercentEncoding.encode(path))
        #expect(consent.status == 400)
    }

    @Test func `devices end one by one and all at once, and ways in change by the old password`() async throws {
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        try await visitor.signIn(account.email)
        let other = PageVisitor(try server)
        try await other.signIn(account.email)
        let page = try await visitor.open("/account")
        let ended = try await visitor.follow(visitor.submit(page, "/account/end-session", []))
        #expect(ended.status == 200 && ended.text.contains("That device is signed out."))
        let after = try await visitor.follow(visitor.submit(ended, "/account/end-others", []))
        #expect(after.text.contains("All other devices are signed out."))
        #expect(try await other.open("/account").status == 303)
        #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 401)
        let wrong = try await visitor.submit(
            after, "/account/new-password", [("old_password", "wrong wrong"), ("new_password", "another horse battery")])
        #expect(wrong.status == 400 && wrong.text.contains("This is not your password.") && wrong.text.contains("<details open>"))
        let missing = try await visitor.submit(after, "/account/new-password", [("new_password", "another horse battery")])
        #expect(missing.status == 400)
        let right = try await visitor.submit(
            after, "/account/new-password", [("old_password", Account.password), ("new_password", "another horse battery")])
        #expect(try await visitor.follow(right).text.contains("The password is saved."))
        #expect(try await PageVisitor(try server).signIn(account.email, "another horse battery").status == 303)
    }

    @Test func `an account is deleted on purpose only, and shortly after a sign-in`() async throws {
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        try await visitor.signIn(account.email)
        let page = try await visitor.open("/account")
        #expect(try await visitor.submit(page, "/account/delete", []).status == 400)
        #expect(try await visitor.post("/account/delete", [("confirmed", "on")]).status == 403)
        try installation.clock.advance(by: .seconds(600))
        let late = try await visitor.submit(page, "/account/delete", [("confirmed", "on")])
        #expect(late.status == 403 && late.text.contains("we have to know that it is you"))
        try await visitor.signIn(account.email)
        let done = try await visitor.submit(try await visitor.open("/account"), "/account/delete", [("confirmed", "on")])
        #expect(done.status == 200 && visitor.session == nil)
        #expect(try await visitor.signIn(account.email).status == 400)
    }
}
