import Glibc
import TestSupport
import Testing
import Text

/// Mail of a running server, from the request to the mailbox.
@Suite(.needsProgram, .timeLimit(.minutes(10)))
struct MailTests {
    private static let form = ("Content-Type", "application/x-www-form-urlencoded")
    private static let json = ("Content-Type", "application/json")

    private func settings(_ mailServer: TestSMTPServer) -> [String: String] {
        [
            "KIDOBAN_SMTP_URL": "smtp://127.0.0.1:\(mailServer.port)", "KIDOBAN_SMTP_TLS": "none",
            "KIDOBAN_MAIL_SENDER": "木戸番 <no-reply@id.example>", "KIDOBAN_JOBS_POLL_INTERVAL": "500ms",
            "KIDOBAN_ECHOLOG_VERIFICATION_MAIL": "false",
            // What a busy machine keeps: a mail that is put off comes again after the test.
            "KIDOBAN_SMTP_CONNECT_TIMEOUT": "1m", "KIDOBAN_SMTP_TIMEOUT": "2m",
        ]
    }

    private func signUp(_ email: String, at server: RunningServer) async throws {
        let answer = try await server.http.send(
            "POST", "/auth/register", [Self.json], body: #"{"email":"\#(email)","password":"seven lanterns at the gate"}"#)
        #expect(answer.status == 201)
    }

    private func forget(_ email: String, at server: RunningServer, language: String = "en") async throws {
        let answer = try await server.http.send(
            "POST", "/rest-auth/password/reset/", [Self.form, ("Accept-Language", language)],
            body: "email=\(email.replacing("@", with: "%40"))")
        #expect(answer.status == 200)
    }

    @Test func `who has forgotten a password gets a mail, and its link works`() async throws {
        let mailServer = try TestSMTPServer()
        let environment = try TestEnvironment()
        let server = try await RunningServer(environment.with(settings(mailServer)))
        try await eventually { try await server.isReady() }
        try await signUp("mei@example.com", at: server)
        try await forget("mei@example.com", at: server)
        try await forget("nobody@example.com", at: server)
        try await eventually { try mailServer.messages().count == 1 }
        let message = try mailServer.messages()[0]
        #expect(message.recipients == ["mei@example.com"] && message.sender == "no-reply@id.example")
        let source = message.text.replacing("=\r\n", with: "").replacing("=3D", with: "=")
        let code = try #require(source.firstMatch(of: /\/account\/password\?code=([A-Za-z0-9_-]{43})/)).1
        let page = try await server.http.send("GET", "/account/password?code=\(code)")
        #expect(page.status == 200)
        // The mail server has the mail before it says so.
        try await eventually {
            let metrics = try await server.operations.send("GET", "/metrics").text
            return metrics.contains(#"kidoban_jobs_total{kind="mail",topic="password_reset",outcome="done"} 1"#)
                && metrics.contains("\nkidoban_mail_server_up 1\n")
        }
        #expect(try !server.log.contains(code) && !server.log.contains("mei@example.com"))
        server.process.send(SIGTERM)
        #expect(try await server.exitStatus() == 0)
        #expect(try mailServer.messages().count == 1)
    }

    @Test func `texts are read anew on SIGHUP, all of them or none`() async throws {
        let mailServer = try TestSMTPServer()
        let directory = try TestDirectory()
        let path = "\(directory.path)/password_reset.ja.txt"
        try TestFile.write("Subject: one\n\nFIRST {link}\n", to: path)
        let settings = settings(mailServer).merging(["KIDOBAN_MAIL_TEMPLATES": directory.path]) { $1 }
        let environment = try TestEnvironment()
        let server = try await RunningServer(environment.with(settings))
        try await eventually { try await server.isReady() }
        try await signUp("mei@example.com", at: server)
        try await forget("mei@example.com", at: server, language: "ja")
        try await eventually { try mailServer.messages().count == 1 }
        try TestFile.write("Subject: two\n\nSECOND {link}\n", to: path)
        server.process.send(SIGHUP)
        try await eventually { try server.log.contains("configuration read anew") }
        try await forget("mei@example.com", at: server, language: "ja")
        try await eventually { try mailServer.messages().count == 2 }
        try TestFile.write("Subject: three\n\nTHIRD {lnk} {link}\n", to: path)
        server.process.send(SIGHUP)
        try await eventually { try server.log.contains("the old one stays in force") }
        #expect(try server.log.contains("password_reset.ja.txt has {lnk} where it cannot be filled in"))
        try await forget("mei@example.com", at: server, language: "ja")
        try await eventually { try mailServer.messages().count == 3 }
        let texts = try mailServer.messages().map(\.text)
        #expect(texts.map { $0.contains("FIRST") } == [true, false, false])
        #expect(texts.map { $0.contains("SECOND") } == [false, true, true])
    }

    @Test func `without a mail server an operator sees what waits, with its link`() async throws {
        let stores = try TestEnvironment()
        let environment = stores.with(["KIDOBAN_ECHOLOG_VERIFICATION_MAIL": "false"])
        let server = try await RunningServer(environment)
        try await eventually { try await server.isReady() }
        #expect(try await Kidoban.run("mail", "show", environment: environment).output == "No mail waits.\n")
        try await signUp("mei@example.com", at: server)
        try await forget("mei@example.com", at: server)
        try await eventually {
            try await Kidoban.run("mail", "show", environment: environment).output.contains("/account/password?code=")
        }
        let shown = try await Kidoban.run("mail", "show", "--json", environment: environment).output
        #expect(try JSON.parse(shown)["recipient"] == "mei@example.com")
        let listed = try await Kidoban.run("mail", "templates", environment: environment).output
        #expect(listed.contains("password_reset.ja.html") && listed.contains("built in"))
        let text = try await Kidoban.run("mail", "templates", "password_reset.en.txt", environment: environment).output
        #expect(text.hasPrefix("Subject: ") && text.contains("{link}"))
        #expect(try await Kidoban.run("mail", "test", "mei@example.com", environment: environment).status == 1)
    }

    @Test func `a test mail arrives, or the command says what to do`() async throws {
        let mailServer = try TestSMTPServer()
        let stores = try TestEnvironment()
        let environment = stores.with(settings(mailServer))
        let sent = try await Kidoban.run("mail", "test", "mei@example.com", environment: environment)
        #expect(sent.status == 0)
        #expect(try mailServer.messages().map(\.recipients) == [["mei@example.com"]])
        mailServer.stop()
        #expect(try await Kidoban.run("mail", "test", "mei@example.com", environment: environment).status == 1)
    }
}
