import Endpoints
import Identity
import Server
import TestSupport
import Testing
import Text

/// Signing in, up and out on our pages, as a browser without scripts does it.
@Suite(.needsServers, .installation()) struct SignInPagesTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var server: TestHTTPClient { get throws { try installation.server } }

    @Test func `the form begins a session, which the account page shows`() async throws {
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        let page = try await visitor.open("/sign-in")
        #expect(page.status == 200)
        #expect(page.value("Cache-Control") == "no-store" && page.value("X-Frame-Options") == "DENY")
        #expect(page.value("Referrer-Policy") == "same-origin")
        #expect(page.value("Content-Security-Policy")?.hasPrefix("default-src 'none'; style-src 'sha256-") ?? false)
        #expect(!page.text.contains("<script"))
        for id in ["id=\"email\"", "id=\"password\"", "id=\"submit\"", "autocomplete=\"username webauthn\"", "current-password"] {
            #expect(page.text.contains(id), "\(id)")
        }
        let done = try await visitor.submit(page, "/sign-in", [("email", " \(account.email) "), ("password", Account.password)])
        #expect(done.status == 303 && done.value("Location") == "/account")
        let shown = try await visitor.open("/account")
        #expect(shown.status == 200 && shown.text.contains(account.email) && shown.text.contains("This browser"))
    }

    @Test func `what is wrong is said, and nobody is signed in`() async throws {
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        let page = try await visitor.open("/sign-in")
        for (email, password) in [
            (account.email, "wrong wrong"), ("nobody@example.com", Account.password), ("x", "y"), ("", ""), ("a", ""),
        ] {
            let refused = try await visitor.submit(page, "/sign-in", [("email", email), ("password", password)])
            #expect(refused.status == 400)
            #expect(refused.text.contains("role=\"alert\"") || refused.text.contains("class=\"fault\""))
            #expect(!refused.text.contains("wrong wrong") && visitor.session == nil)
        }
    }

    @Test func `a form of another site, of another browser or without its token signs nobody in`() async throws {
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        let fields = [("email", account.email), ("password", Account.password)]
        let own = try #require(PageVisitor.hidden(try await visitor.open("/sign-in"), "/sign-in"))
        let others = try #require(PageVisitor.hidden(try await PageVisitor(try server).open("/sign-in"), "/sign-in"))
        var answers = [
            try await visitor.post("/sign-in", fields), try await visitor.post("/sign-in", fields + [("form_token", "")]),
            try await visitor.post("/sign-in", fields + others),
            try await PageVisitor(try server).post("/sign-in", fields + own),
        ]
        for (origin, site) in [
            ("https://evil.example", "cross-site"), ("null", "cross-site"), ("http://localhost:8081", "same-site"),
            ("http://localhost:8080.evil.example", "cross-site"),
        ] {
            answers.append(try await visitor.post("/sign-in", fields + own, origin: origin, site: site))
        }
        answers.append(try await visitor.post("/sign-in", fields + own, origin: nil, site: "cross-site"))
        for answer in answers {
            #expect(answer.status == 403)
            #expect(!answer.fields.contains { $0.name.lowercased() == "set-cookie" && $0.value.contains("kidoban_session") })
        }
        #expect(visitor.session == nil)
        #expect(try await visitor.post("/sign-in", fields + own).status == 303)
    }

    @Test(
        arguments: [
            "//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example", "/%09/evil.example", "/unknown",
            "/account/../evil", "/account#x", "javascript:alert(1)", "/oauth2/authorize@evil.example", "/oauth2/token",
            " /account",
            "/account\r\nX: y", "http:/account", "/sign-in", "/account/", "//localhost:8080/account",
        ])
    func `a continuation that is no page of ours leads nowhere`(_ destination: String) async throws {
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        let query = "?continue=" + PercentEncoding.encode(destination)
        for path in ["/sign-in", "/sign-up", "/forgot-password", "/consent"] {
            let page = try await visitor.open(path + query)
            #expect(page.status == 400 && page.value("Location") == nil, "\(path)")
        }
        let fields = try #require(PageVisitor.hidden(try await visitor.open("/sign-in"), "/sign-in"))
        let sent = fields + [("email", account.email), ("password", Account.password), ("continue", destination)]
        let answer = try await visitor.post("/sign-in", sent)
        #expect(answer.status == 400 && answer.value("Location") == nil && visitor.session == nil)
    }

    @Test func `two tabs at once work, and the session of the first ends`() async throws {
        let (one, two, visitor) = (try await server.signUp(), try await server.signUp(), PageVisitor(try server))
        let (first, second) = (try await visitor.open("/sign-in"), try await visitor.open("/sign-in?continue=%2Fdevice"))
        #expect(
            try await visitor.submit(first, "/sign-in", [("email", one.email), ("password", Account.password)]).status == 303)
        let before = try #require(visitor.session)
        let accountOfOne = try await visitor.open("/account")
        let done = try await visitor.submit(second, "/sign-in", [("email", two.email), ("password", Account.password)])
        #expect(done.status == 303 && done.value("Location") == "/device")
        #expect(visitor.session != before)
        // What was open in the other tab does nothing any more, to nobody.
        let stale = try await visitor.submit(accountOfOne, "/account/name", [("name", "Somebody else")])
        #expect(stale.status == 403)
        let page = try await visitor.open("/account")
        #expect(page.text.contains(two.email) && !page.text.contains("Somebody else"))
        visitor.client.cookies["kidoban_session"] = before
        #expect(try await visitor.open("/account").status == 303)
    }

    @Test func `a browser is known for as long as its session stays`() async throws {
        let account = try await server.signUp()
        for remembers in [false, true] {
            let visitor = PageVisitor(try server)
            let fields = [("email", account.email), ("password", Account.password)] + (remembers ? [("remember", "on")] : [])
            let answer = try await visitor.submit(visitor.open("/sign-in"), "/sign-in", fields)
            let session = try #require(answer.cookie("kidoban_session"))
            let life = session.split(separator: "; ").filter { $0.hasPrefix("Max-Age=") }
            #expect(life.isEmpty == !remembers)
            let browser = answer.cookie("kidoban_browser")
            #expect(browser?.split(separator: "; ").filter { $0.hasPrefix("Max-Age=") } == (remembers ? life : nil))
        }
    }

    @Test func `a planted cookie is not adopted, and each sign-in has another session`() async throws {
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        visitor.client.cookies["kidoban_session"] = "kdc_planted"
        try await visitor.signIn(account.email)
        let first = try #require(visitor.session)
        #expect(first != "kdc_planted")
        try await visitor.signIn(account.email)
        #expect(visitor.session != first)
        #expect(first.dropFirst(4).prefix(10) != visitor.session?.dropFirst(4).prefix(10))
    }

    @Test func `a cookie of the cookie API is none of the pages', nor the other way round`() async throws {
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        try await visitor.signIn(account.email)
        let cookies = CookieClient(try server)
        #expect(try await cookies.logIn(account.email).status == 200)
        let (sid, session) = (try #require(cookies.cookies["sid"]), try #require(visitor.session))
        cookies.cookies["sid"] = session
        #expect(try await cookies.touch().status == 401)
        visitor.client.cookies["kidoban_session"] = sid
        #expect(try await visitor.open("/account").status == 303)
    }

    @Test func `what somebody types is escaped`() async throws {
        let visitor = PageVisitor(try server)
        let page = try await visitor.open("/sign-in")
        let typed = "\"><script>alert(1)</script>'&"
        let refused = try await visitor.submit(page, "/sign-in", [("email", typed), ("password", "x")])
        #expect(!refused.text.contains("<script>") && refused.text.contains("&quot;&gt;&lt;script&gt;"))
    }

    @Test func `somebody makes an account and is signed in by that`() async throws {
        let (visitor, email) = (PageVisitor(try server), Account.newEmail())
        let page = try await visitor.open("/sign-up")
        #expect(try await visitor.submit(page, "/sign-up", [("email", email), ("password", "short")]).text.contains("too short"))
        let done = try await visitor.submit(
            page, "/sign-up", [("email", email), ("password", Account.password), ("name", "Mei <b>")])
        #expect(done.status == 303)
        #expect(try await visitor.open("/account").text.contains("Mei &lt;b&gt;"))
        let mail = try #require(try installation.mails(to: email).first)
        #expect(mail.link == "http://localhost:8080/account/email?code=\(mail.code)")
        let again = try await PageVisitor(try server).submit(
            try await visitor.open("/sign-up"), "/sign-up", [("email", email), ("password", Account.password)])
        // Another browser's page.
        #expect(again.status == 403)
        let taken = try await visitor.submit(
            try await visitor.open("/sign-up"), "/sign-up", [("email", email), ("password", Account.password)])
        #expect(taken.status == 409 && taken.text.contains("aria-invalid"))
    }

    @Test func `a forgotten password is asked for alike by those who have an account and those who have none`() async throws {
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        let page = try await visitor.open("/forgot-password")
        let known = try await visitor.submit(page, "/forgot-password", [("email", account.email)])
        let unknown = try await visitor.submit(page, "/forgot-password", [("email", "nobody@example.com")])
        #expect(known.status == 200)
        #expect(known.text.replacing(account.email, with: "") == unknown.text.replacing("nobody@example.com", with: ""))
        let mail = try #require(try installation.mails(to: account.email).last)
        #expect(mail.kind == "password_reset" && mail.link.hasPrefix("http://localhost:8080/account/password?code="))
    }

    @Test func `the sign-out page ends the session, and without one says so`() async throws {
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        #expect(try await visitor.open("/sign-out").text.contains("You are signed out"))
        try await visitor.signIn(account.email)
        let session = try #require(visitor.session)
        let question = try await visitor.open("/sign-out")
        #expect(question.text.contains("Sign out?"))
        #expect(try await visitor.open("/account").status == 200)
        let done = try await visitor.submit(question, "/sign-out", [])
        #expect(done.status == 200 && visitor.session == nil)
        visitor.client.cookies["kidoban_session"] = session
        #expect(try await visitor.open("/account").status == 303)
    }

    @Test func `the pages speak the language that the client asks for, or the browser`() async throws {
        let (visitor, client) = (PageVisitor(try server), try await installation.addPageClient())
        #expect(try await visitor.open("/sign-in", [("Accept-Language", "ja")]).text.contains("<html lang=\"ja\">"))
        let location = try #require(
            try await visitor.open(client.authorize([("ui_locales", "fr ja-JP en"), ("login_hint", "mei@example.com")])).value(
                "Location"))
        let page = try await visitor.open(location, [("Accept-Language", "en")])
        #expect(page.text.contains("<html lang=\"ja\">") && page.text.contains("Evening Post"))
        #expect(page.text.contains("value=\"mei@example.com\""))
    }
}

/// The same where people have usernames.
@Suite(.needsServers, .installation { $0.restAuth.loginName = .either })
struct UsernamePagesTests {
    @Test func `the form takes a username as well as an address`() async throws {
        let server = try #require(Installation.current).server
        let name = "pages\(UInt32.random(in: 0 ... .max))"
        let email = try await DjangoClient(server: server).register(Account.newEmail(), [("username", name)]).email
        for typed in [name, " \(email) "] {
            let visitor = PageVisitor(server)
            let page = try await visitor.open("/sign-in")
            #expect(page.text.contains(">E-mail address or username</label>"))
            #expect(page.text.contains("<input id=\"email\" name=\"email\" type=\"text\" autocomplete=\"username webauthn\""))
            let wrong = try await visitor.submit(page, "/sign-in", [("email", typed), ("password", "another horse battery")])
            #expect(wrong.status == 400 && wrong.text.contains("This name and password do not go together."))
            let done = try await visitor.submit(page, "/sign-in", [("email", typed), ("password", DjangoClient.password)])
            #expect(done.status == 303, "\(done.text)")
            #expect(try await visitor.open("/account").text.contains(email))
        }
    }
}
