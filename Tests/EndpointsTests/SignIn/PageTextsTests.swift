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
            ],
            "ja": ["signIn": "ようこそ"],
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
}
