import Server
import TestSupport
import Testing
import Text

/// Texts of a team's own on the sign-in pages.
@Suite(
    .needsServers,
    .installation { configuration in
        configuration.signIn.name = "Town <1>"
        configuration.signIn.texts.texts = [
            "en": [
                "signIn": "Enter <b>{service}</b> & co", "consent": "{client} <script>alert(1)</script> {email}",
                "consentAllow": "\"Yes\" onclick='x'", "email": "Mail {client}",
                "mail.emailTitle": "<b>{service}</b> asks", "mail.passwordHint": "{minimum} or more at {service}",
                "mail.linkIsVoid": "Too late for {address}", "mail.addressQuestion": "Is {address} {address} yours?",
                "mail.tooShort": "{minimum}, please",
            ],
            "ja": ["signIn": "ようこそ", "mail.emailTitle": "ようこそ"],
        ]
    })
struct PageTextsTests {
    var installation: Installation { get throws { try #require(Installation.current) } }

    @Test func `they take the place of the built-in ones in their language, as text and never as markup`() async throws {
        let visitor = PageVisitor(try installation.server)
        let page = try await visitor.open("/sign-in").text
        #expect(page.contains("<h1>Enter &lt;b&gt;Town &lt;1&gt;&lt;/b&gt; &amp; co</h1>") && !page.contains("<b>"))
        // What the others say, and what is not filled in.
        #expect(page.contains(">Password</label>") && page.contains("Mail {client}"))
        let japanese = try await visitor.open("/sign-in", [("Accept-Language", "ja")]).text
        #expect(japanese.contains("<h1>ようこそ</h1>") && japanese.contains(">パスワード</label>"))
    }

    @Test func `they are filled in like the built-in ones, and what fills one in is not filled in again`() async throws {
        let client = try await installation.addPageClient()
        _ = try await installation.command(["client", "update", client.credentials.id, "--name", "Post {email} <i>"])
        let (account, visitor) = (try await installation.server.signUp(), PageVisitor(try installation.server))
        let page = try await visitor.follow(
            visitor.signIn(account.email, at: "/sign-in?continue=" + PercentEncoding.encode(client.authorize())))
        #expect(page.text.contains("Post {email} &lt;i&gt; &lt;script&gt;alert(1)&lt;/script&gt; "), "\(page.text)")
        #expect(!page.text.contains("<script") && !page.text.contains("<i>"))
        #expect(page.text.contains("&quot;Yes&quot; onclick=&#39;x&#39;"))
    }

    @Test func `the pages behind the links in mails have them too`() async throws {
        let installation = try self.installation
        let server = try installation.server
        let account = try await server.signUp()
        let proof = try #require(try installation.mails(to: account.email).first { $0.kind == "email_verification" })
        let path = "/account/email?code=\(proof.code)"
        let page = try await server.get(path).text
        #expect(page.contains("<h1>&lt;b&gt;Town &lt;1&gt;&lt;/b&gt; asks</h1>") && !page.contains("<b>"))
        #expect(page.contains("<button class=\"main\">Confirm the address</button>"))
        let japanese = try await server.send("GET", path, [("Accept-Language", "ja")]).text
        #expect(japanese.contains("<h1>ようこそ</h1>") && japanese.contains("確認する"))
        let void = try await server.get("/account/undo?code=x")
        #expect(void.status == 404 && void.text.contains("Too late for {address}"))
        try installation.change(account.email, "email_verified = true")
        let new = Account.newEmail()
        let asked = try await server.post("/auth/me/email", ["email": .string(new)], bearer: account.accessToken)
        #expect(asked.status == 202, "\(asked.text)")
        let address = try #require(try installation.mails(to: new).last)
        let question = try await server.get("/account/address?code=\(address.code)").text
        #expect(question.contains("Is \(new) \(new) yours?"), "\(question)")
        #expect(try await DjangoClient(server: server).send("/password/reset/", [("email", account.email)]).status == 200)
        let reset = try #require(try installation.mails(to: account.email).last { $0.kind == "password_reset" })
        #expect(try await server.get("/account/password?code=\(reset.code)").text.contains("8 or more at Town &lt;1&gt;"))
        let short = try await server.form(
            "/account/password", [("code", reset.code), ("password", "short"), ("password_again", "short")])
        #expect(short.status == 400 && short.text.contains(">8, please<"), "\(short.text)")
    }
}
