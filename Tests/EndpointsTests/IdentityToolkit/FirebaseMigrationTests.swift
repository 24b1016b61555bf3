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

    private func migrate(
        _ token: String, on device: String? = nil, rotating: Bool = false
    ) async throws -> TestHTTPResponse {
        let body: JSONValue = ["idToken": .string(token), "rotate": .bool(rotating)]
        var request = TestHTTPRequest.json("POST", "/migrate/firebase", body.serialized)
        if let device { request.fields.append(("X-Device-ID", device)) }
        return try await server.send(request)
    }

    @Test func `a token gives one session, in the answer of a sign-in`() async throws {
        let (id, account) = try await imported()
        let token = try token(id)
        let answers = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            for number in 0..<8 { group.addTask { try await migrate(token, on: "device-\(number)") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.filter { $0.status != 200 }.allSatisfy { $0.status == 401 })
        let migrated = try Account(#require(answers.first { $0.status == 200 }))
        #expect(migrated.id == account.id)
        #expect(try await server.get("/auth/me", bearer: migrated.accessToken).status == 200)
        #expect(try await server.post("/auth/refresh", ["refreshToken": .string(migrated.refreshToken)]).status == 200)
    }

    @Test func `devices that do not name themselves are to come back while nobody knows what comes of a token`() async throws {
        let (id, _) = try await imported()
        let token = try token(id)
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try await migrate(token).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0 == 200 } == 1 && answers.allSatisfy { [200, 401, 503].contains($0) }, "\(answers)")
    }

    @Test func `a device that does not name itself gets a session once`() async throws {
        let (id, _) = try await imported()
        let token = try token(id)
        #expect(try await migrate(token, on: nil).status == 200)
        for device in [nil, "device-1"] { #expect(try await migrate(token, on: device).status == 401) }
    }

    @Test(arguments: [false, true])
    func `the device whose answer was lost gets its session again`(rotating: Bool) async throws {
        let (device, (id, account)) = ("device-1", try await imported())
        let token = try token(id)
        let answers = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            for _ in 0..<8 { group.addTask { try await migrate(token, on: device, rotating: rotating) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // While the first is under way the others are to come back.
        #expect(answers.allSatisfy { $0.status == 200 || $0.status == 503 }, "\(answers.map(\.text))")
        let first = try Account(#require(answers.first { $0.status == 200 }))
        let again = try Account(await migrate(token, on: device, rotating: rotating))
        #expect(again.id == account.id && again.refreshToken == first.refreshToken)
        for tokens in [first, again] {
            #expect(try await server.get("/auth/me", bearer: tokens.accessToken).status == 200)
        }
        let list = try await server.get("/auth/sessions", bearer: again.accessToken).json["sessions"]?.arrayValue
        // That of the sign-up is the other one.
        #expect(list?.count == 2)
        let refresh: JSONValue = ["refreshToken": .string(again.refreshToken)]
        #expect(try await server.post("/auth/refresh", refresh).status == 200)
        #expect(try await migrate(token, on: "another").status == 401)
        // By rotation the app shows that it has got its answer.
        #expect(try await migrate(token, on: device).status == (rotating ? 401 : 200))
        #expect(try await server.delete("/auth/sessions", bearer: account.accessToken).status == 204)
        #expect(try await migrate(token, on: device).status == 401)
    }

    @Test func `whoever asks again and again is refused`() async throws {
        let installation = try Installation {
            FirebaseMigrationTestsConfiguration.apply(&$0)
            $0.limits[.refreshSession] = Budget(2, per: .seconds(3600))
        }
        try await installation.run { installation in
            try await Installation.$current.withValue(installation) {
                let suite = FirebaseMigrationTests()
                let (id, _) = try await suite.imported()
                let token = try suite.token(id)
                for status in [200, 200, 200, 429] {
                    #expect(try await suite.migrate(token, on: "device-1").status == status)
                }
            }
        }
    }

    @Test func `a token that comes again later is none`() async throws {
        let installation = try Installation { FirebaseMigrationTestsConfiguration.apply(&$0) }
        try await installation.run { installation in
            try await Installation.$current.withValue(installation) {
                let suite = FirebaseMigrationTests()
                let (id, _) = try await suite.imported()
                let token = try suite.token(id)
                for (pause, status) in [(0, 200), (30_000, 200), (1, 401)] {
                    installation.clock.advance(by: .milliseconds(pause))
                    #expect(try await suite.migrate(token, on: "device-1").status == status)
                }
            }
        }
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
