import TestSupport
import Testing
import Text

/// What operators do for users, beside a running server.
@Suite(.needsProgram, .timeLimit(.minutes(5)))
struct OperatorCommandTests {
    private static let json = ("Content-Type", "application/json")
    private static let first = "seven lanterns at the gate"
    private static let second = "nine herons on the weir"

    private struct Town {
        let environment: TestEnvironment
        let server: RunningServer

        init(_ changes: [String: String?] = [:]) async throws {
            environment = try TestEnvironment()
            server = try await RunningServer(environment.with(changes))
            let server = server
            try await eventually { try await server.isReady() }
            let made = try await run("user", "create", "mei@example.com", input: first + "\n")
            #expect(made.status == 0, "\(made.output)")
        }

        func run(_ words: String..., input: String = "") async throws -> Kidoban.Outcome {
            try await Kidoban.run(words, environment: environment.variables, input: input)
        }

        func signIn(_ password: String) async throws -> (status: Int, refresh: String) {
            let answer = try await server.http.send(
                "POST", "/auth/login", [json], body: #"{"email":"mei@example.com","password":"\#(password)"}"#)
            let value = try JSON.parse(answer.text)
            return (answer.status, value["refreshToken"]?.stringValue ?? value["data"]?["refreshToken"]?.stringValue ?? "")
        }

        func refresh(_ token: String) async throws -> Int {
            try await server.http.send("POST", "/auth/refresh", [json], body: #"{"refreshToken":"\#(token)"}"#).status
        }

        private var json: (String, String) { OperatorCommandTests.json }
        private var first: String { OperatorCommandTests.first }
    }

    @Test func `a password that an operator sets is in force, and no session from before is`() async throws {
        let town = try await Town()
        let before = try await town.signIn(Self.first)
        #expect(before.status == 200)
        let set = try await town.run("user", "set-password", "mei@example.com", input: Self.second + "\n")
        #expect(set.status == 0 && !set.output.contains(Self.second), "\(set.output)")
        #expect(try await town.refresh(before.refresh) == 401)
        #expect(try await town.signIn(Self.first).status == 401)
        #expect(try await town.signIn(Self.second).status == 200)
        let made = try await town.run("user", "set-password", "mei@example.com", "--generate")
        let password = try #require(made.output.firstMatch(of: /password=(\S+)\n/), "\(made.output)").1
        #expect(try await town.signIn(String(password)).status == 200)
        // Never an argument.
        #expect(try await town.run("user", "set-password", "mei@example.com", Self.second).status == 64)
        #expect(try await town.run("user", "set-password", "mei@example.com", input: "short\n").status == 1)
        #expect(try await town.run("user", "set-password", "nobody@example.com", "--generate").status == 1)
        let events = try await town.run("audit", "--kind", "password_changed")
        #expect(events.output.split(separator: "\n").count == 2 && events.output.contains("by=administrator"))
    }

    @Test func `one session ends, and the others go on`() async throws {
        let town = try await Town()
        let (one, other) = (try await town.signIn(Self.first), try await town.signIn(Self.first))
        let id = try #require(one.refresh.firstMatch(of: /kdr_([^.]+)\./)).1
        let ended = try await town.run("sessions", "end", String(id))
        #expect(ended.status == 0, "\(ended.output)")
        #expect(try await town.refresh(one.refresh) == 401)
        #expect(try await town.refresh(other.refresh) == 200)
        let again = try await town.run("sessions", "end", String(id))
        #expect(again.status == 1 && again.output.contains("there is no such session, or it is over"))
        #expect(try await town.run("sessions", "end", "x").status == 64)
    }

    @Test func `a link for a new password waits for who is locked out, and an address is vouched for`() async throws {
        let town = try await Town()
        #expect(try await town.run("user", "send-reset", "mei@example.com").status == 0)
        #expect(try await town.run("mail", "show").output.contains("password_reset to mei@example.com"))
        #expect(try await town.run("user", "show", "mei@example.com").output.contains("(not verified)"))
        #expect(try await town.run("user", "verify-email", "mei@example.com").status == 0)
        #expect(try await town.run("user", "show", "mei@example.com").output.contains("(verified)"))
        #expect(try await town.run("mail", "retry").output.hasPrefix("No mail was put off. A server looks"))
        #expect(try await town.run("user", "disable", "mei@example.com").status == 0)
        let disabled = try await town.run("user", "send-reset", "mei@example.com")
        #expect(disabled.status == 1 && disabled.output.contains("the user is disabled"), "\(disabled.output)")
    }

    @Test func `another address is in force at once, and the old one is told`() async throws {
        let town = try await Town()
        let session = try await town.signIn(Self.first)
        #expect(try await town.run("user", "verify-email", "mei@example.com").status == 0)
        let same = try await town.run("user", "change-email", "mei@example.com", "Mei@example.com")
        #expect(same.status == 1 && same.output.contains("already"))
        let changed = try await town.run(
            "user", "change-email", "mei@example.com", "mei@town.example", "--verified", "--operator", "ken")
        #expect(changed.status == 0 && changed.output.contains("with a link that undoes it"), "\(changed.output)")
        #expect(try await town.refresh(session.refresh) == 401)
        #expect(try await town.run("mail", "show").output.contains("address_changed to mei@example.com"))
        #expect(try await town.run("user", "show", "mei@town.example").output.contains("(verified)"))
        #expect(try await town.run("audit", "--kind", "address_changed", "--operator", "ken").output.contains("by=administrator"))
    }

    @Test func `a limit that is used up is lifted`() async throws {
        let town = try await Town(["KIDOBAN_LIMIT_SIGN_IN_ACCOUNT_ADDRESS": "2/1h"])
        for _ in 1...2 { #expect(try await town.signIn("wrong password").status == 401) }
        #expect(try await town.signIn(Self.first).status == 429)
        let none = try await town.run("limits", "lift", "--account", "other@example.com")
        #expect(none.output == "Nothing was used up\n")
        let lifted = try await town.run("limits", "lift", "--address", "127.0.0.1", "--account", "mei@example.com")
        #expect(lifted.status == 0 && lifted.output.hasPrefix("Emptied "), "\(lifted.output)")
        #expect(try await town.signIn(Self.first).status == 200)
        #expect(try await town.run("limits", "lift").status == 64)
        #expect(try await town.run("limits", "lift", "--address", "town").status == 64)
        #expect(try await town.run("audit", "--kind", "limit_lifted").output.contains("mei@example.com"))
    }

    @Test func `what a wrong master key would leave without effect is refused`() async throws {
        let town = try await Town()
        let other = town.environment.with(["KIDOBAN_MASTER_KEY": Kidoban.masterKey])
        for words in [
            ["limits", "lift", "--account", "mei@example.com"], ["user", "send-reset", "mei@example.com"],
            ["client", "registration-token"],
        ] {
            let refused = try await Kidoban.run(words, environment: other)
            #expect(refused.status == 1 && refused.output.contains("does not open with this master key"), "\(refused.output)")
        }
    }

    @Test func `the server that has failed is named, and what is not on record is printed`() async throws {
        let town = try await Town()
        let database = town.environment.database.connectionString
        try TestDatabase.run("ALTER TABLE audit_events RENAME TO away", on: database)
        let disabled = try await town.run("user", "disable", "mei@example.com")
        #expect(disabled.status == 1 && disabled.output.contains("the command itself is done"), "\(disabled.output)")
        // As in the log, whole lines of JSON.
        let line = try #require(disabled.output.split(separator: "\n").first { $0.contains("audit event not stored") })
        let event = try JSON.parse(String(line))["event"]?.stringValue ?? ""
        #expect(try JSON.parse(event)["kind"]?.stringValue == "user_disabled")
        try TestDatabase.run(
            "ALTER TABLE away RENAME TO audit_events; ALTER TABLE audit_events ADD CHECK (kind <> 'user_enabled')", on: database)
        let enabled = try await town.run("user", "enable", "mei@example.com")
        #expect(enabled.status == 1 && enabled.output.contains("has refused 1 audit event"), "\(enabled.output)")
        try TestDatabase.run("ALTER TABLE users RENAME TO gone", on: database)
        let directory = try TestDirectory()
        let file = "\(directory.path)/users.jsonl"
        for words in [["user", "find", "mei"], ["export", file]] {
            let failed = try await Kidoban.run(words, environment: town.environment.variables)
            #expect(failed.status == 1, "\(failed.output)")
            #expect(failed.output.contains("PostgreSQL: it has refused a statement (SQLSTATE 42P01)"), "\(failed.output)")
        }
        #expect((try? TestFile.text(of: file)) == nil)
        let redis = town.environment.with(["REDIS_URL": "redis://127.0.0.1:1"])
        let away = try await Kidoban.run(
            ["limits", "lift", "--account", "mei@example.com"], environment: redis)
        #expect(away.status == 1 && away.output.contains("Redis: ") && away.output.contains("127.0.0.1:1"), "\(away.output)")
    }

    @Test func `the months of the audit events are listed and kept`() async throws {
        let town = try await Town()
        let list = try await town.run("audit", "retention")
        #expect(list.output.contains("audit_events_default") && list.output.contains("Events are kept for 400d"))
        #expect(try await town.run("audit", "retention", "--apply").output == "Made 0 and dropped 0\n")
        #expect(try await town.run("audit", "retention", "--json").output.contains(#""name":"audit_events_before""#))
    }

    @Test func `a hash of another program refuses the sign-in, and the log and the events say why`() async throws {
        let town = try await Town()
        try TestDatabase.run(
            "UPDATE users SET password_hash = 'pbkdf2_sha256$600000$salt$aGFzaA=='",
            on: town.environment.database.connectionString)
        #expect(try await town.signIn(Self.first).status == 401)
        // The log is written a moment later.
        try await eventually { try town.server.log.contains("the stored password hash is of another program or too dear") }
        try await eventually { try await town.run("audit", "--kind", "sign_in_failed").output.contains("reason=unusable_hash") }
        // What is a fault has its cause under the id of the request.
        try TestDatabase.run(
            "ALTER TABLE users RENAME COLUMN display_name TO called", on: town.environment.database.connectionString)
        let answer = try await town.server.http.send(
            "POST", "/auth/login", [Self.json, ("X-Request-Id", "fault-1")],
            body: #"{"email":"mei@example.com","password":"\#(Self.first)"}"#)
        #expect(answer.status == 500)
        func line() throws -> Substring? {
            try town.server.log.split(separator: "\n").last { $0.contains("fault-1") && $0.contains("\"status\":500") }
        }
        try await eventually { try line() != nil }
        let line = try #require(try line())
        #expect(line.contains("\"cause\":\"PostgreSQL: it has refused a statement (SQLSTATE 42703"), "\(line)")
    }
}
