import TestSupport
import Testing
import Text

@testable import Server

/// `kidoban user` beside a running server.
@Suite(.needsProgram, .timeLimit(.minutes(5)))
struct UserCommandTests {
    private static let password = "seven lanterns at the gate"
    private static let json = ("Content-Type", "application/json")

    /// A server, and a client that may ask about tokens.
    private struct Town {
        let environment: TestEnvironment
        let server: RunningServer
        let credentials: String

        init() async throws {
            environment = try TestEnvironment()
            server = try await RunningServer(environment.variables)
            let server = server
            try await eventually { try await server.isReady() }
            let added = try await Kidoban.run("client", "add", "backend", "--introspect", environment: environment.variables)
            let secret = try #require(added.output.firstMatch(of: /client_secret=(\S+)/)).1
            credentials = "Basic " + Base64.encode(Array("backend:\(secret)".utf8))
        }

        func user(_ words: String..., input: String = "") async throws -> Kidoban.Outcome {
            try await Kidoban.run(["user"] + words, environment: environment.variables, input: input)
        }

        /// The id of the user that this made.
        func create(_ email: String, _ options: String...) async throws -> String {
            let made = try await Kidoban.run(
                ["user", "create", email] + options, environment: environment.variables, input: password + "\n")
            return String(try #require(made.output.wholeMatch(of: /user_id=(\S+)\n/), "\(made.output)").1)
        }

        func post(_ path: String, _ body: String) async throws -> TestHTTPResponse {
            try await server.http.send("POST", path, [json], body: body)
        }

        func signIn(_ email: String) async throws -> (status: Int, access: String, refresh: String) {
            let answer = try await post("/auth/login", #"{"email":"\#(email)","password":"\#(password)"}"#)
            let value = try JSON.parse(answer.text)
            return (
                answer.status, value["accessToken"]?.stringValue ?? value["data"]?["accessToken"]?.stringValue ?? "",
                value["refreshToken"]?.stringValue ?? value["data"]?["refreshToken"]?.stringValue ?? ""
            )
        }

        func isActive(_ token: String) async throws -> Bool {
            let answer = try await server.http.send(
                "POST", "/oauth2/introspect",
                [("Content-Type", "application/x-www-form-urlencoded"), ("Authorization", credentials)], body: "token=\(token)")
            return try JSON.parse(answer.text)["active"]?.boolValue ?? false
        }

        func refresh(_ token: String) async throws -> Int {
            try await post("/auth/refresh", #"{"refreshToken":"\#(token)"}"#).status
        }

        func events() throws -> [[String]] {
            try TestDatabase.rows(
                "SELECT kind, actor FROM audit_events WHERE actor = 'administrator' AND user_id IS NOT NULL ORDER BY id",
                on: environment.database.connectionString)
        }

        private var password: String { UserCommandTests.password }
        private var json: (String, String) { UserCommandTests.json }
    }

    @Test func `a disabled user is out at once, at every API, until he is enabled`() async throws {
        let town = try await Town()
        let id = try await town.create("mei@example.com", "--verified")
        let mei = try await town.signIn("mei@example.com")
        #expect(mei.status == 200)
        #expect(try await town.isActive(mei.access))
        let form = try await town.server.http.send(
            "POST", "/login", [("Content-Type", "application/x-www-form-urlencoded")],
            body: "email=mei@example.com&password=seven+lanterns+at+the+gate")
        let cookie = form.value("Set-Cookie")?.split(separator: ";").first.map(String.init) ?? ""
        #expect(cookie.contains("kdc_"), "\(form.status) \(form.text)")

        let disabled = try await town.user("disable", "Mei@example.com")
        #expect(disabled.status == 0)
        #expect(disabled.output.contains(id))
        #expect(try await !town.isActive(mei.access))
        #expect(try await town.refresh(mei.refresh) == 401)
        #expect(try await town.signIn("mei@example.com").status == 401)
        let me = try await town.server.http.send("GET", "/auth/me", [("Authorization", "Bearer \(mei.access)")])
        #expect(me.status == 401)
        #expect(try await town.server.http.send("GET", "/session", [("Cookie", cookie)]).status == 401)
        let token = try await town.post(
            "/auth/token", #"{"email_address":"mei@example.com","password":"\#(Self.password)"}"#)
        #expect(token.status == 401)

        #expect(try await town.user("enable", id).status == 0)
        #expect(try await town.refresh(mei.refresh) == 401)
        #expect(try await town.signIn("mei@example.com").status == 200)
        #expect(
            try town.events() == ["user_created", "user_disabled", "user_enabled"].map { [$0, "administrator"] })
    }

    @Test func `a user who is signed out everywhere can sign in again`() async throws {
        let town = try await Town()
        let id = try await town.create("mei@example.com")
        let (one, two) = (try await town.signIn("mei@example.com"), try await town.signIn("mei@example.com"))
        #expect(try await town.user("sign-out", id).status == 0)
        for session in [one, two] {
            #expect(try await !town.isActive(session.access))
            #expect(try await town.refresh(session.refresh) == 401)
        }
        #expect(try await town.signIn("mei@example.com").status == 200)
        #expect(try town.events().map { $0[0] } == ["user_created", "all_sessions_ended"])
    }

    @Test func `a user is deleted only when it is meant`() async throws {
        let town = try await Town()
        let id = try await town.create("mei@example.com")
        let mei = try await town.signIn("mei@example.com")
        let unasked = try await town.user("delete", id)
        #expect(unasked.status == 64)
        #expect(unasked.output.contains("--yes"))
        for (answer, status) in [("n", 1), ("y", 0)] as [(String, Int32)] {
            let printed = Printed(input: ConsoleInputTests.terminal(answer))
            let arguments = ["user", "delete", "mei@example.com"]
            let ended = await Program.run(
                arguments: arguments, environment: town.environment.variables, console: printed.console)
            #expect(ended == status, "\(printed.error)")
            #expect(try await town.isActive(mei.access) == (answer == "n"))
        }
        #expect(try await town.refresh(mei.refresh) != 200)
        let gone = try await town.user("show", id)
        #expect(gone.status == 1)
        #expect(gone.output == "kidoban: there is no user \(id)\n")
        #expect(try await town.user("delete", "--yes", id).status == 1)
        #expect(try town.events().last == ["user_deleted", "administrator"])
    }

    @Test func `what is stored of a user is exported without what lets anybody in`() async throws {
        let town = try await Town()
        let id = try await town.create("mei@example.com", "--name", "Mei", "--verified")
        let mei = try await town.signIn("mei@example.com")
        let export = try await town.user("export", "mei@example.com")
        #expect(export.status == 0)
        let document = try JSON.parse(export.output)
        #expect(document["user"]?["id"] == .string(id))
        #expect(document["user"]?["has_password"] == true)
        #expect(document["sessions"]?.arrayValue?.count == 1)
        let session = try #require(document["sessions"]?.arrayValue?.first)
        #expect(session["client_id"] == "app")
        let stored = try TestDatabase.rows(
            "SELECT password_hash FROM users", on: town.environment.database.connectionString)
        let salt = try #require(mei.refresh.split(separator: ".").last)
        for secret in [stored[0][0], mei.access, mei.refresh, String(salt), "argon2", "salt"] {
            #expect(!export.output.contains(secret))
        }
        // The server writes its events half a second late.
        try await eventually {
            let document = try JSON.parse(try await town.user("export", id).output)
            let kinds = document["audit_events"]?.arrayValue?.compactMap { $0["kind"]?.stringValue } ?? []
            return kinds.starts(with: ["user_created", "user_signed_in"]) || kinds.contains("user_signed_in")
        }
        #expect(try town.events().contains(["user_exported", "administrator"]))
        let shown = try await town.user("show", id)
        #expect(shown.output.contains("mei@example.com (verified)"))
        #expect(shown.output.contains("SESSION"))
    }

    @Test func `users are found by how their address begins, and nothing else is a pattern`() async throws {
        let environment = try TestEnvironment()
        #expect(try await Kidoban.run("migrate", environment: environment.variables).status == 0)
        for email in ["a_b@example.com", "axb@example.com", "a%b@example.com", "B@example.com"] {
            let made = try await Kidoban.run(
                "user", "create", email, "--no-password", environment: environment.variables)
            #expect(made.status == 0)
        }
        func found(_ words: String...) async throws -> (status: Int32, emails: [String], output: String) {
            let outcome = try await Kidoban.run(["user", "find", "--json"] + words, environment: environment.variables)
            let emails = outcome.output.split(separator: "\n").compactMap {
                try? JSON.parse(String($0))["email"]?.stringValue
            }
            return (outcome.status, emails, outcome.output)
        }
        #expect(try await found("a").emails == ["a%b@example.com", "a_b@example.com", "axb@example.com"])
        #expect(try await found("A_").emails == ["a_b@example.com"])
        #expect(try await found("a%").emails == ["a%b@example.com"])
        #expect(try await found("b").emails == ["B@example.com"])
        let some = try await found("a", "--limit", "2")
        #expect(some.emails.count == 2)
        #expect(some.output.contains("more than these 2"))
        #expect(try await found("c").status == 1)
        let id = try TestDatabase.rows(
            "SELECT id FROM users WHERE email = 'axb@example.com'", on: environment.database.connectionString)[0][0]
        #expect(try await found(id).emails == ["axb@example.com"])
        let table = try await Kidoban.run("user", "find", "ax", environment: environment.variables)
        #expect(table.output.split(separator: "\n").count == 2)
        #expect(table.output.contains("\(id)  axb@example.com  no "))
    }

    @Test func `what a user has written cannot play with the terminal`() async throws {
        let environment = try TestEnvironment()
        #expect(try await Kidoban.run("migrate", environment: environment.variables).status == 0)
        let made = try await Kidoban.run(
            "user", "create", "mei@example.com", "--no-password", environment: environment.variables)
        #expect(made.status == 0)
        try TestDatabase.run(
            "UPDATE users SET display_name = E'\\u001b[2J\\u009b1A\\u202eMei'", on: environment.database.connectionString)
        for words in [
            ["show", "mei@example.com"], ["show", "mei@example.com", "--json"], ["find", "mei"], ["find", "--json", "mei"],
            ["export", "mei@example.com"],
        ] {
            let outcome = try await Kidoban.run(["user"] + words, environment: environment.variables)
            #expect(outcome.status == 0 && outcome.output.contains("Mei"))
            let deceptive: Set<UInt32> = [0x1B, 0x9B, 0x202E]
            #expect(!outcome.output.unicodeScalars.contains { deceptive.contains($0.value) }, "\(words)")
        }
    }

    @Test func `a user cannot be made against the rules`() async throws {
        let environment = try TestEnvironment()
        #expect(try await Kidoban.run("migrate", environment: environment.variables).status == 0)
        func create(_ input: String, _ options: String...) async throws -> Kidoban.Outcome {
            try await Kidoban.run(
                ["user", "create", "mei@example.com"] + options, environment: environment.variables, input: input)
        }
        #expect(try await create("short\n").output == "kidoban: the password has less than 8 characters\n")
        #expect(try await create("").status == 64)
        #expect(try await create("password123\n").output.contains("everybody"))
        #expect(try await create(Self.password + "\n").status == 0)
        let again = try await create("", "--no-password")
        #expect(again.status == 1)
        #expect(again.output == "kidoban: there is a user with this e-mail address already\n")
        #expect(try !TestDatabase.contents(of: environment.database.connectionString).contains(Self.password))
    }

    @Test func `without its stores a command says which is missing`() async throws {
        let environment = try TestEnvironment()
        let unprepared = try await Kidoban.run("user", "find", "a", environment: environment.variables)
        #expect(unprepared.status == 1)
        #expect(unprepared.output.contains("kidoban migrate"))
        #expect(try await Kidoban.run("migrate", environment: environment.variables).status == 0)
        let made = try await Kidoban.run(
            "user", "create", "mei@example.com", "--no-password", environment: environment.variables)
        #expect(made.status == 0)
        let noRedis = environment.with(["REDIS_URL": "redis://127.0.0.1:1"])
        let disabled = try await Kidoban.run("user", "disable", "mei@example.com", environment: noRedis)
        #expect(disabled.status == 1)
        #expect(disabled.output.contains("REDIS_URL"))
        // Nothing has happened: who is barred has no session.
        let state = try TestDatabase.rows(
            "SELECT disabled_at IS NOT NULL FROM users", on: environment.database.connectionString)
        #expect(state == [["f"]])
        let noPostgres = environment.with(["DATABASE_URL": "host=127.0.0.1 port=1 dbname=x"])
        let found = try await Kidoban.run("user", "find", "a", environment: noPostgres)
        #expect(found.status == 1)
        #expect(found.output.contains("the database cannot be reached"))
    }
}
