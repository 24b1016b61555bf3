import TestSupport
import Testing

@testable import Server

/// Files in `KIDOBAN_MAIL_TEMPLATES` that nobody would ever read.
@Suite struct MailTemplateNamesTests {
    private func problems(_ names: [String]) -> [String] {
        let files = FileReader(names: { $0 == "/mail" ? names : [] }) { path throws(FileFault) in
            throw path == "/mail" ? .isDirectory : .missing
        }
        return Sample.problems(["KIDOBAN_MAIL_TEMPLATES": "/mail"], files: files).map(\.description)
    }

    @Test(arguments: [
        ("pasword_reset.en.txt", "password_reset.en.txt"), ("Password_Reset.ja.html", "password_reset.ja.html"),
        ("password_reset.en", "password_reset.en.txt"), ("password_reset.fr.txt", "password_reset.en.txt"),
        ("password-reset.en.txt", "password_reset.en.txt"), ("email_verification.jp.html", "email_verification.ja.html"),
        ("identity_linked.en.txt.txt", "identity_linked.en.txt"), ("identitylinked.ja.txt", "identity_linked.ja.txt"),
        ("email_verification.en.htm", "email_verification.en.html"),
    ])
    func `a name that is nearly one of a text is reported, with the nearest`(name: String, nearest: String) {
        #expect(
            problems(["password_reset.ja.txt", name])
                == ["KIDOBAN_MAIL_TEMPLATES has \(name), which no mail is written with; the nearest is \(nearest)"])
    }

    @Test func `all of them are, in order`() {
        let reported = problems(["b", "password_reset.ja.tx", "notes.txt", "password_reset.ja.txt", "email_verifikation.en.txt"])
        #expect(reported.map { $0.contains("email_verifikation") } == [true, false])
        #expect(reported.count == 2)
    }

    @Test func `what else there is in the directory is nobody's business`() {
        #expect(
            problems([
                ".", "..", "..data", "..2026_11_22_09_00_00.1", ".password_reset.en.txt.swp", "README.md", "notes.txt",
                "logo.png",
                "password_reset.en.txt~", "password_reset.en.txt.bak", "email_verification.ja.html.orig", "",
            ]) == [])
    }

    @Test func `the names in a directory are told, and none of what is no directory`() throws {
        let directory = try TestDirectory()
        for name in ["a", ".b", "木"] { try TestFile.write("", to: "\(directory.path)/\(name)") }
        #expect(Set(FileReader.system.names(directory.path)) == [".", "..", "a", ".b", "木"])
        #expect(FileReader.system.names("\(directory.path)/a").isEmpty)
        #expect(FileReader.system.names("\(directory.path)/nothing").isEmpty)
    }
}

/// The same, as an operator meets it.
@Suite(.needsProgram, .timeLimit(.minutes(3)))
struct MisspeltTemplateTests {
    private static let report = "KIDOBAN_MAIL_TEMPLATES has pasword_reset.en.txt, which no mail is written with; the nearest is"

    @Test func `it is told at the start, by the doctor, and on SIGHUP`() async throws {
        let directory = try TestDirectory()
        let stores = try TestEnvironment()
        let environment = stores.with(["KIDOBAN_MAIL_TEMPLATES": directory.path])
        let server = try await RunningServer(environment)
        try await eventually { try await server.isReady() }
        try TestFile.write("Subject: x\n\n{link}\n", to: "\(directory.path)/pasword_reset.en.txt")
        server.process.send(1)
        try await eventually { try server.log.contains("the old one stays in force") }
        #expect(try server.log.contains(Self.report))
        for command in ["serve", "doctor"] {
            let outcome = try await Kidoban.run(command, environment: environment)
            #expect(outcome.status != 0)
            #expect(outcome.output.contains(Self.report), "\(command)")
        }
    }
}
