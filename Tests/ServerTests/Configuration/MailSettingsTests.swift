import Identity
import Outbound
import Testing

@testable import Server

@Suite struct MailSettingsTests {
    private static let sender = ["KIDOBAN_MAIL_SENDER": "no-reply@example.com"]
    private static let server = sender.merging(["KIDOBAN_SMTP_URL": "smtp://u:CANARY@mail.example.com"]) { $1 }

    /// A directory with these files in it.
    private static func directory(_ texts: [String: String]) -> FileReader {
        FileReader { path throws(FileFault) in
            guard path != "/mail" else { throw .isDirectory }
            guard let text = texts.first(where: { "/mail/\($0.key)" == path })?.value else { throw .missing }
            return Sample.file(text, mode: 0o644)
        }
    }

    private func problems(_ texts: [String: String]) -> [String] {
        Sample.problems(["KIDOBAN_MAIL_TEMPLATES": "/mail"], files: Self.directory(texts)).map(\.description)
    }

    @Test(arguments: [
        "mail.example.com", "http://mail.example.com", "smtp://", "smtp://:25", "smtp://u@h", "smtp://u:@h", "smtp://:CANARY@h",
        "smtp://u:CANARY@h:0", "smtp://u:CANARY@h:65536", "smtp://u:CANARY@h:+25", "smtp://u:CANARY@h/path", "smtp://u:CA@NARY@h",
        "smtp://u:CA/NARY@h", "smtp://u:CA:NARY@h", "smtp://u:CANARY%@h", "smtp://u:CANARY%4@h", "smtp://u:CANARY%0D%0A@h",
        "smtp://u:CANARY%FF@h", "smtp://[::1", "smtp://[::1]25", "smtp://h h",
    ])
    func `a URL that could be misread is refused, and not quoted`(_ text: String) {
        let problems = Sample.problems(Self.sender.merging(["KIDOBAN_SMTP_URL": text]) { $1 })
        #expect(problems.map(\.name) == ["KIDOBAN_SMTP_URL"])
        #expect(!problems.description.contains("CA"))
    }

    @Test func `a server wants a sender`() {
        #expect(
            Sample.problems(["KIDOBAN_SMTP_URL": "smtp://localhost"]).map(\.description)
                == ["KIDOBAN_MAIL_SENDER is missing, but KIDOBAN_SMTP_URL is set"])
    }

    @Test func `no password travels in the clear, unless it stays on this machine`() {
        let clear = ["KIDOBAN_SMTP_TLS": "none"]
        #expect(
            Sample.problems(Self.server.merging(clear) { $1 }).map(\.description)
                == ["KIDOBAN_SMTP_TLS is none, and the password in KIDOBAN_SMTP_URL would travel in the clear"])
        for url in ["smtp://u:p@127.0.0.1", "smtp://u:p@localhost:25", "smtp://u:p@[::1]", "smtp://mailpit:1025"] {
            #expect(Sample.problems(Self.server.merging(clear) { $1 }.merging(["KIDOBAN_SMTP_URL": url]) { $1 }).isEmpty)
        }
        #expect(
            Sample.problems(Self.server.merging(clear) { $1 }.merging(["KIDOBAN_SMTP_URL": "smtps://h"]) { $1 }).map(
                \.description)
                == ["KIDOBAN_SMTP_TLS is none, but KIDOBAN_SMTP_URL begins with smtps://"])
    }

    @Test func `the mail server is greeted by the name that clients know us under`() throws {
        let named = try Sample.read(Self.server.merging(["KIDOBAN_ISSUER": "https://ID.example.com:8443/x"]) { $1 })
        #expect(named.smtp?.greetingName == "id.example.com")
        let numbered = try Sample.read(Self.server.merging(["KIDOBAN_ISSUER": "http://[::1]:8080"]) { $1 })
        #expect(numbered.smtp?.greetingName == "localhost")
    }

    @Test func `texts of a directory take the place of the built-in ones`() throws {
        let files = Self.directory(["password_reset.ja.txt": "Subject: 再設定\n\n{link}\n"])
        let configuration = try Sample.read(["KIDOBAN_MAIL_TEMPLATES": "/mail"], files: files)
        #expect(configuration.mail.templates.texts != .builtIn)
        #expect(configuration.mail.templates.files.map(\.fileName) == ["password_reset.ja.txt"])
    }

    @Test func `everything that is wrong with the texts is told at once`() {
        #expect(
            problems([
                "password_reset.en.txt": "Hello {link}", "password_reset.en.html": "<p>{lnk}</p>",
                "changes_undone.ja.txt": "Subject: x\n\n{link}", "email_verification.ja.html": "<p>{email}</p>",
            ]) == [
                "KIDOBAN_MAIL_TEMPLATES is wrong: password_reset.en.txt does not begin with a line `Subject: …`",
                "KIDOBAN_MAIL_TEMPLATES is wrong: password_reset.en.html has {lnk} where it cannot be filled in; there are "
                    + "{email}, {lifetime}, {link}, {product}",
                "KIDOBAN_MAIL_TEMPLATES is wrong: email_verification.ja.html does not have {link} in it",
                "KIDOBAN_MAIL_TEMPLATES is wrong: changes_undone.ja.txt has {link} where it cannot be filled in; there are "
                    + "{email}, {product}",
            ])
    }

    @Test func `what is no directory is refused`() {
        #expect(
            Sample.problems(["KIDOBAN_MAIL_TEMPLATES": "/nowhere"]).map(\.description)
                == ["KIDOBAN_MAIL_TEMPLATES does not name a directory that can be read"])
    }

    @Test func `another text in a file is another value of the setting`() throws {
        func reading(_ text: String) throws -> ConfigurationReading {
            try Configuration.read(
                environment: ["KIDOBAN_MAIL_TEMPLATES": "/mail"], files: Self.directory(["password_reset.en.txt": text]),
                masterKey: .optional)
        }
        let first = try reading("Subject: a\n\n{link}")
        #expect(try reading("Subject: a\n\n{link}").changes(since: first).isEmpty)
        let second = try reading("Subject: b\n\n{link}")
        #expect(second.changes(since: first).map(\.name) == ["KIDOBAN_MAIL_TEMPLATES"])
        #expect(second.applied(to: first.configuration).mail.templates.texts == second.configuration.mail.templates.texts)
    }
}
