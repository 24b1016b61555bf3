import Endpoints
import Identity
import Server
import TestSupport
import Testing
import Text

/// Sessions for ID tokens of the project that the users come from.
@Suite(.needsServers, .installation { FirebaseMigrationTestsConfiguration.apply(&$0) })
struct FirebaseMigrationTests {
    private static let project = FirebaseMigrationTestsConfiguration.project
    private let installation = Installation.current
    private var server: TestHTTPClient { get throws { try #require(installation).server } }

    /// A user who was imported with an id, and has a password.
    private func imported() async throws -> (id: String, account: Account) {
        let account = try await server.signUp()
        let id = "uid-\(Person.unique())"
        try TestDatabase.run(
            "INSERT INTO user_aliases (source, id, user_id) VALUES ('firebase', '\(id)', '\(account.id)')",
            on: #require(installation).databaseURL)
        return (id, account)
    }

    private func token(
        _ id: String, _ changes: KeyValuePairs<String, JSONValue> = [:], isForged: Bool = false
    ) throws -> String {
        let now = try #require(installation).clock.now.seconds
        let claims: [(String, JSONValue)] = [
            ("iss", .string("https://securetoken.google.com/\(Self.project)")), ("aud", .string(Self.project)), ("azp", .null),
            ("sub", .string(id)), ("user_id", .string(id)), ("auth_time", .integer(now + 1)), ("iat", .integer(now)),
            ("exp", .integer(now + 3600)),
        ]
        var all = changes.map { ($0.key, $0.value) }
        for claim in claims where !all.contains(where: { $0.0 == claim.0 }) { all.append(claim) }
        return try TestProvider.signed(all, isForged: isForged)
    }

    private func migrate(_ token: String) async throws -> TestHTTPResponse {
        try await server.post("/migrate/firebase", ["idToken": .string(token)])
    }

    @Test func `a token gives one session, in the answer of a sign-in`() async throws {
        let (id, account) = try await imported()
        let token = try token(id)
        let answers = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            for _ in 0..<8 { group.addTask { try await migrate(token) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.filter { $0.status != 200 }.allSatisfy { $0.status == 401 })
        let migrated = try Account(#require(answers.first { $0.status == 200 }))
        #expect(migrated.id == account.id)
        #expect(try await server.get("/auth/me", bearer: migrated.accessToken).status == 200)
        #expect(try await server.post("/auth/refresh", ["refreshToken": .string(migrated.refreshToken)]).status == 200)
    }

    @Test(
        arguments: [
            ["iss": "https://securetoken.google.com/another"], ["aud": "another"], ["exp": 1], ["auth_time": .null], ["sub": ""],
            ["auth_time": 99_999_999_999], ["iat": 99_999_999_999],
        ] as [KeyValuePairs<String, JSONValue>])
    func `what proves nothing gives none`(_ changes: KeyValuePairs<String, JSONValue>) async throws {
        let (id, _) = try await imported()
        #expect(try await migrate(token(id, changes)).status == 401)
    }

    @Test func `neither does a forged one, nor one of nobody`() async throws {
        let (id, _) = try await imported()
        #expect(try await migrate(token(id, isForged: true)).status == 401)
        #expect(try await migrate(token("nobody")).status == 404)
        #expect(try await migrate("").status == 401)
        #expect(try await server.post("/migrate/firebase", ["idToken": 1]).status == 400)
    }

    @Test func `a token of before a sign-out everywhere, or of who is disabled, is none`() async throws {
        let (id, account) = try await imported()
        let now = try #require(installation).clock.now.seconds
        let earlier = try token(id, ["auth_time": .integer(now - 60), "jti": "1"])
        #expect(try await server.delete("/auth/sessions", bearer: account.accessToken).status == 204)
        #expect(try await migrate(earlier).status == 401)
        #expect(try await migrate(token(id)).status == 200)
        _ = try await #require(installation).command(["user", "disable", account.id])
        #expect(try await migrate(token(id, ["jti": "2"])).status == 401)
    }
}

private enum FirebaseMigrationTestsConfiguration {
    static let project = "old-project"

    static func apply(_ configuration: inout Configuration) {
        TestProvider.configure(&configuration)
        configuration.firebase.migratedProject = project
        configuration.firebase.migratedKeySetURL = configuration.federation.google.keySetURL
    }
}
