import TestSupport
import Testing
import Text

@testable import Server

/// `kidoban sessions`, on a Redis of its own: it looks at all of one.
@Suite(.needsProgram, .enabled(if: TestRedis.isAvailable, "there is no redis-server on this machine"), .timeLimit(.minutes(10)))
struct SessionsCommandTests {
    private static let json = ("Content-Type", "application/json")

    @Test func `sessions of users who are gone end when they are pruned, after a question`() async throws {
        let redis = try TestRedis()
        let environment = try TestEnvironment()
        let variables = environment.with(["REDIS_URL": redis.url])
        let server = try await RunningServer(variables)
        try await eventually { try await server.isReady() }
        func signUp(_ email: String) async throws -> String {
            let body = #"{"email":"\#(email)","password":"seven lanterns at the gate"}"#
            let answer = try await server.http.send("POST", "/auth/register", [Self.json], body: body)
            return try #require(answer.text.firstMatch(of: /"refreshToken":"([^"]+)"/)).1.description
        }
        func refresh(_ token: String) async throws -> Int {
            try await server.http.send("POST", "/auth/refresh", [Self.json], body: #"{"refreshToken":"\#(token)"}"#).status
        }
        func prune(_ words: String...) async throws -> Kidoban.Outcome {
            try await Kidoban.run(["sessions", "prune"] + words, environment: variables)
        }
        let (gone, there) = (try await signUp("gone@example.com"), try await signUp("there@example.com"))
        let none = try await prune()
        #expect(none.status == 0 && none.output == "There are no such sessions\n")

        _ = try TestDatabase.rows(
            "DELETE FROM users WHERE email = 'gone@example.com' RETURNING 1", on: environment.database.connectionString)
        #expect(try await refresh(gone) == 200)
        let counted = try await prune("--dry-run")
        let found = "1 session of 1 user unknown to PostgreSQL"
        #expect(counted.status == 0 && counted.output == "This would end \(found)\n")
        // Without a terminal nobody can be asked.
        let unasked = try await prune()
        #expect(unasked.status == 64 && unasked.output.contains("--yes"))
        #expect(try await refresh(gone) == 200)
        let ended = try await prune("--yes")
        #expect(ended.status == 0 && ended.output == "Ended \(found)\n")
        #expect(try await refresh(gone) == 401)
        #expect(try await refresh(there) == 200)
        #expect(try await prune("--yes").output == "There are no such sessions\n")
        // None began with a provider.
        let apple = try await Kidoban.run(["sessions", "end", "--provider", "apple"], environment: variables)
        #expect(apple.status == 0 && apple.output == "There are no such sessions\n")
        let events = try TestDatabase.rows(
            "SELECT reason FROM audit_events WHERE kind = 'all_sessions_ended' AND actor = 'administrator'",
            on: environment.database.connectionString)
        #expect(events == [["user_deleted"]])
    }
}
