import Glibc
import TestSupport
import Testing
import Text

/// Another mail server for a running server.
@Suite(.needsProgram, .timeLimit(.minutes(3)))
struct MailServerReloadTests {
    private func settings(_ server: TestSMTPServer?, password: String? = nil) -> String {
        let credentials = password.map { "kidoban:\($0)@" } ?? ""
        let url = server.map { "smtp://\(credentials)127.0.0.1:\($0.port)" } ?? ""
        return """
            KIDOBAN_SMTP_URL=\(url)
            KIDOBAN_SMTP_TLS=none
            KIDOBAN_MAIL_SENDER=no-reply@id.example
            KIDOBAN_JOBS_POLL_INTERVAL=500ms

            """
    }

    @Test func `SIGHUP has mail go to another server, to none, and to one with another password`() async throws {
        let (first, second) = (try TestSMTPServer(), try TestSMTPServer(login: ("kidoban", "right")))
        let directory = try TestDirectory()
        let path = "\(directory.path)/kidoban.env"
        try TestFile.write(settings(first), to: path)
        let environment = try TestEnvironment()
        let server = try await RunningServer(
            environment.with(["KIDOBAN_SETTINGS_FILE": path, "KIDOBAN_ECHOLOG_VERIFICATION_MAIL": "false"]))
        try await eventually { try await server.isReady() }
        var reloads = 0
        func reload(_ text: String) async throws {
            try TestFile.write(text, to: path)
            reloads += 1
            server.process.send(SIGHUP)
            try await eventually { try server.log.ranges(of: "configuration read anew").count == reloads }
        }
        func forget(_ name: String) async throws {
            let body = #"{"email":"\#(name)@example.com","password":"seven lanterns at the gate"}"#
            let json = ("Content-Type", "application/json")
            #expect(try await server.http.send("POST", "/auth/register", [json], body: body).status == 201)
            let form = ("Content-Type", "application/x-www-form-urlencoded")
            let answer = try await server.http.send(
                "POST", "/rest-auth/password/reset/", [form], body: "email=\(name)%40example.com")
            #expect(answer.status == 200)
        }
        func isShown(_ name: String) async throws -> Bool {
            let outcome = try await Kidoban.run("mail", "show", environment: environment.with(["KIDOBAN_SETTINGS_FILE": path]))
            return outcome.output.contains("\(name)@example.com")
        }

        try await forget("one")
        try await eventually { try first.messages().count == 1 }
        // With the wrong password it waits, and with the right one it goes.
        try await reload(settings(second, password: "wrong"))
        try await forget("two")
        try await eventually { try server.log.contains("all mail waits") }
        try await reload(settings(second, password: "right"))
        try await eventually { try second.messages().map(\.recipients) == [["two@example.com"]] }
        try await reload(settings(nil))
        try await forget("three")
        try await eventually { try await isShown("three") }
        try await reload(settings(first))
        try await eventually { try first.messages().count == 2 }
        #expect(try first.messages().flatMap(\.recipients) == ["one@example.com", "three@example.com"])
        #expect(try second.messages().count == 1)
        #expect(try !server.log.contains("needs_restart") && !server.log.contains("right"))
        server.process.send(SIGTERM)
        #expect(try await server.exitStatus() == 0)
    }
}
