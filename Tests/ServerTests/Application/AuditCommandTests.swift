import Glibc
import TestSupport
import Testing
import Text

/// `kidoban audit`.
@Suite(.needsProgram, .timeLimit(.minutes(5)))
struct AuditCommandTests {
    private func audit(_ words: String..., in environment: TestEnvironment) async throws -> Kidoban.Outcome {
        try await Kidoban.run(["audit"] + words, environment: environment.variables)
    }

    @Test func `whoever gets a part is told that there is more, and how to go on`() async throws {
        let environment = try TestEnvironment()
        #expect(try await Kidoban.run("migrate", environment: environment.variables).status == 0)
        try TestDatabase.run(
            """
            INSERT INTO audit_events (id, occurred_at, kind, outcome, actor, reference_id, detail)
            SELECT (lpad(to_hex(1760000000000 + n * 1000), 12, '0') || '70008' || lpad(n::text, 15, '0'))::uuid,
                to_timestamp(1760000000 + n), 'user_updated', 'succeeded', CASE WHEN n = 7 THEN 'administrator' ELSE 'system' END,
                'request-' || n, CASE WHEN n = 7 THEN '{"operator":"mei"}' ELSE '{}' END::jsonb
            FROM generate_series(1, 650) n
            """, on: environment.database.connectionString)
        let part = try await audit(in: environment)
        #expect(part.status == 0)
        #expect(part.output.contains("kidoban: there are more than these 100: go on with --before "))
        let last = try #require(part.output.firstMatch(of: /--before (\S+),/)).1
        let next = try await audit("--before", String(last), "--limit", "2", in: environment)
        #expect(next.output.contains("request=request-550") && next.output.contains("request=request-549"))
        for empty in [["--since", "1h", "--until", "2h"], ["--since", "2100-01-01T00:00:00Z"]] {
            let refused = try await Kidoban.run(["audit"] + empty, environment: environment.variables)
            #expect(refused.status == 64 && refused.output.contains("--since is not before"))
        }
        for words in [["--limit", "650"], ["--all"]] {
            let all = try await Kidoban.run(["audit"] + words, environment: environment.variables)
            #expect(all.output.split(separator: "\n").count == 650)
            #expect(!all.output.contains("there are more"))
        }
        #expect(try await audit("--request", "request-3", in: environment).output.split(separator: "\n").count == 1)
        #expect(try await audit("--operator", "mei", in: environment).output.contains("request=request-7"))
        #expect(try await audit("--operator", "mei", "--kind", "user_deleted", in: environment).output == "")
        let misspelt = try await audit("--kind", "sign_in_faild", in: environment)
        #expect(misspelt.status == 64)
        #expect(misspelt.output.contains("did you mean sign_in_failed?"))
    }

    @Test func `what a command does is on record under the name of who gave it`() async throws {
        let environment = try TestEnvironment()
        func create(_ email: String, _ options: [String], _ user: [String: String?]) async throws -> Kidoban.Outcome {
            try await Kidoban.run(
                ["user", "create", email, "--no-password"] + options, environment: environment.with(user))
        }
        #expect(try await Kidoban.run("migrate", environment: environment.variables).status == 0)
        #expect(try await create("a@example.com", ["--operator", "mei"], ["USER": "root"]).status == 0)
        #expect(try await create("b@example.com", ["--operator=kenji"], [:]).status == 0)
        #expect(try await create("c@example.com", [], ["SUDO_USER": "ann", "USER": "root"]).status == 0)
        #expect(try await create("d@example.com", [], ["USER": "two words"]).status == 0)
        #expect(try await create("e@example.com", ["--operator", "two words"], [:]).status == 64)
        let names = try TestDatabase.rows(
            "SELECT coalesce(detail ->> 'operator', '-') FROM audit_events WHERE kind = 'user_created' ORDER BY id",
            on: environment.database.connectionString)
        #expect(names.flatMap(\.self) == ["mei", "kenji", "ann", "uid-\(getuid())"])
        #expect(try await audit("--operator", "ann", in: environment).output.contains("user_created"))
        // The table of clients is another program's way to the same books.
        #expect(
            try await Kidoban.run(
                "client", "add", "backend", "--service", "--operator", "mei", environment: environment.variables
            ).status == 0
        )
        #expect(try await audit("--operator", "mei", "--kind", "client_added", in: environment).output.contains("client=backend"))
    }
}
