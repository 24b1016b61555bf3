import Testing
import Text

@testable import Identity

@Suite struct MailTemplatesTests {
    private static let link = "https://id.example/account/password?code=abc&x=1"

    private func mail(
        _ kind: Mail.Kind, _ language: Mail.Language, recipient: String = "anna@example.com", link: String? = nil,
        detail: String = "what-it-tells"
    ) -> Mail {
        Mail(
            id: UUID(version7At: Sample.now, random: []), userID: Sample.userID, kind: kind, recipient: recipient,
            language: language, link: SecretString(link ?? (hasLink(kind) ? Self.link : "")), detail: detail,
            createdAt: Sample.now, expiresAt: Sample.now.adding(.seconds(3600)))
    }

    private func hasLink(_ kind: Mail.Kind) -> Bool {
        kind != .addressTaken && kind != .changesUndone && kind != .signInCode
    }

    private func name(_ text: String) throws -> MailTemplates.Name {
        try #require(MailTemplates.Name.all.first { $0.fileName == text })
    }

    private func message(
        _ mail: Mail, _ templates: MailTemplates = .builtIn, sender: String = "Kidoban <a@b.example>"
    ) throws -> MailMessage {
        let sender = try #require(MailSender(sender))
        return try #require(MailComposer(sender: sender, templates: templates).message(mail))
    }

    @Test(arguments: Mail.Kind.allCases, Mail.Language.allCases)
    func `every mail has both forms, with everything filled in`(_ kind: Mail.Kind, _ language: Mail.Language) throws {
        let message = try message(mail(kind, language))
        let html = try #require(message.html)
        for text in [message.subject, message.text, html] {
            #expect(text.contains("Kidoban"))
            #expect(text.firstMatch(of: /\{[a-z]+\}/) == nil)
        }
        #expect(message.text.contains("anna@example.com") && html.contains("anna@example.com"))
        #expect(message.text.split(separator: "\n").contains(Self.link[...]) == hasLink(kind))
        #expect(html.contains("href=\"https://id.example/account/password?code=abc&amp;x=1\"") == hasLink(kind))
        #expect(!message.subject.contains("code="))
        // Nothing is fetched, and nothing runs.
        #expect(html.firstMatch(of: /<(?:img|script|link|iframe|object)|src=|url\(|@import|\son[a-z]+=/) == nil)
        #expect(message.recipient == "anna@example.com")
        let isJapanese = message.text.unicodeScalars.contains { (0x3041...0x3096).contains($0.value) }
        #expect(isJapanese == (language == .japanese))
    }

    @Test(arguments: Mail.Language.allCases)
    func `what a mail does not have is in no paragraph of it`(_ language: Mail.Language) throws {
        for kind in Mail.Kind.allCases where hasLink(kind) && kind.detailPlaceholder != nil {
            let all = try message(mail(kind, language))
            #expect(all.text.contains("what-it-tells") && all.html?.contains("what-it-tells") == true)
            for (link, detail) in [("", "what-it-tells"), (Self.link, "")] {
                let message = try message(mail(kind, language, link: link, detail: detail))
                let html = try #require(message.html)
                #expect(message.text.contains("https:") == !link.isEmpty && html.contains("href") == !link.isEmpty)
                #expect(message.text.contains("what-it-tells") == !detail.isEmpty)
                #expect(!message.text.contains("\n\n\n") && html.contains("</html>"))
                if link.isEmpty { #expect(!message.text.contains("hour") && !message.text.contains("時間")) }
            }
        }
    }

    @Test func `a text of an operator's for a new way in may be without the link`() throws {
        let own = try MailTemplates(replacing: [try name("identity_linked.en.txt"): "Subject: a\n\n{email} {provider}"])
        #expect(try message(mail(.identityLinked, .english, detail: "google"), own).text == "anna@example.com google")
    }

    @Test func `a code is shown to be typed, and never in the subject`() throws {
        let message = try message(mail(.signInCode, .english, link: "12345678"))
        #expect(message.text.split(separator: "\n").contains("12345678") && message.text.contains("within 1 hour"))
        #expect(message.html?.contains("<p>12345678</p>") == true && !message.subject.contains("12345678"))
        let wrong = try name("sign_in_code.en.txt")
        let expected = MailTemplates.Problems(problems: [MailTemplates.Problem(name: wrong, reason: .lacks(.code))])
        #expect(throws: expected) { try MailTemplates(replacing: [wrong: "Subject: a\n\nno code"]) }
        #expect(expected.problems[0].description == "sign_in_code.en.txt does not have {code} in it")
    }

    @Test func `how long a link is good is told in the reader's words`() {
        let cases: [(Int, String, String)] = [
            (3600, "1 hour", "1時間"), (7200, "2 hours", "2時間"), (3 * 86_400, "3 days", "3日"), (86_400, "1 day", "1日"),
            (5400, "90 minutes", "90分"), (60, "1 minute", "1分"), (1, "1 minute", "1分"),
        ]
        for (seconds, english, japanese) in cases {
            #expect(Mail.Language.english.lifetime(.seconds(seconds)) == english)
            #expect(Mail.Language.japanese.lifetime(.seconds(seconds)) == japanese)
        }
    }

    @Test func `values are escaped in HTML`() throws {
        let message = try message(mail(.passwordReset, .english, recipient: "a'b&c@example.com"), sender: "A & B's <a@b.example>")
        #expect(message.html?.contains("a&#39;b&amp;c@example.com") == true && message.html?.contains("A &amp; B&#39;s") == true)
        #expect(message.text.contains("a'b&c@example.com"))
    }

    @Test func `an own text takes the place of the built-in one, and comes without its HTML form`() throws {
        let own = try MailTemplates(replacing: [
            try name("password_reset.en.txt"): "subject:  For {email}\r\n\r\n{link} {lifetime} {x y} {} { {Link} }{product}\r\n"
        ])
        let message = try message(mail(.passwordReset, .english), own)
        #expect(message.subject == "For anna@example.com")
        #expect(message.text == "\(Self.link) 1 hour {x y} {} { {Link} }Kidoban\n")
        #expect(message.html == nil)
        #expect(try self.message(mail(.passwordReset, .japanese), own).html != nil)
    }

    @Test func `an own HTML form goes with the built-in text`() throws {
        let own = try MailTemplates(replacing: [
            try name("password_reset.en.html"): "<style>a{color:red}</style><a href=\"{link}\">{email}</a>"
        ])
        let message = try message(mail(.passwordReset, .english), own)
        #expect(
            message.html
                == "<style>a{color:red}</style><a href=\"https://id.example/account/password?code=abc&amp;x=1\">anna@example.com</a>"
        )
        #expect(try message.text == self.message(mail(.passwordReset, .english)).text)
    }

    @Test(arguments: [
        ("password_reset.en.txt", "", MailTemplates.Problem.Reason.noSubject),
        ("password_reset.en.txt", "Subject:\n\n{link}", .noSubject),
        ("password_reset.en.txt", "Subject: a", .isEmpty), ("password_reset.en.txt", "Subject: a\n\n \n", .isEmpty),
        ("password_reset.en.txt", "Subject: a\n\nno link", .lacks(.link)),
        ("password_reset.en.html", "<p>no link</p>", .lacks(.link)),
        ("password_reset.en.html", " \n", .isEmpty),
        ("password_reset.en.txt", "Subject: a\n\n{link} {lnk}", .unknownPlaceholder("lnk")),
        ("password_reset.en.txt", "Subject: {link}\n\n{link}", .unknownPlaceholder("link")),
        ("address_taken.ja.txt", "Subject: a\n\n{link}", .unknownPlaceholder("link")),
        ("changes_undone.ja.html", "{lifetime}", .unknownPlaceholder("lifetime")),
        ("password_changed.ja.html", "<p>no link</p>", .lacks(.link)),
    ])
    func `a text that is of no use is refused`(_ file: String, _ text: String, _ reason: MailTemplates.Problem.Reason) throws {
        let name = try name(file)
        let expected = MailTemplates.Problems(problems: [MailTemplates.Problem(name: name, reason: reason)])
        #expect(throws: expected) { try MailTemplates(replacing: [name: text]) }
    }

    @Test(arguments: MailTemplates.Name.all)
    func `the built-in text as a file changes nothing`(_ name: MailTemplates.Name) throws {
        var files = [name: MailTemplates.builtInText(name)]
        let html = MailTemplates.Name(kind: name.kind, language: name.language, form: .html)
        files[html] = MailTemplates.builtInText(html)
        #expect(try MailTemplates(replacing: files) == .builtIn)
    }
}
