import Postgres
import Testing
import Text

@testable import Identity

extension WithStores {
    /// What operators do with users.
    @Suite struct AdministrationTests {
        private static let personal = Statement(
            name: "test_personal_columns",
            sql: """
                SELECT table_name::text, column_name::text FROM information_schema.columns
                WHERE table_schema = 'public' AND table_name IN (
                    SELECT table_name FROM information_schema.columns
                    WHERE column_name = 'user_id' AND table_schema = 'public'
                    UNION SELECT 'users' UNION SELECT 'provider_tokens')
                """)
        private static let fill = Statement(
            name: "test_many_users",
            sql: """
                INSERT INTO users (id, email, email_normalized, created_at, updated_at)
                SELECT gen_random_uuid(), 'u' || n || '@example.com', 'u' || n || '@example.com', now(), now()
                FROM generate_series(1, 20000) n
                """)
        private static let events = Statement(
            name: "test_many_events",
            sql: """
                INSERT INTO audit_events (id, occurred_at, kind, outcome, actor, user_id)
                SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || substr(md5(n::text), 1, 20))::uuid, now(), 'kind_' || n % 40, 'succeeded', 'system', gen_random_uuid()
                FROM generate_series(1, 20000) n
                """)
        private static let analyze = Statement(name: "test_analyze", sql: "ANALYZE users, audit_events")

        private func create(
            _ world: World, _ email: String = Copy.email, password: String? = Copy.password, isVerified: Bool = false
        ) async throws -> User {
            let new = Administration.NewUser(
                email: email, password: password.map { SecretString($0) }, displayName: "Anna", isEmailVerified: isVerified)
            return try await world.a.run { try await $0.administration.create(new) }
        }

        @Test func `a user whom an operator has made signs in like any other`() async throws {
            try await World.run { world in
                let user = try await create(world, isVerified: true)
                #expect(user.emailVerified && user.displayName?.text == "Anna")
                #expect(try await world.a.signIn().id == user.id)
                await #expect(throws: AdministrationError.refused(.emailTaken)) { try await create(world) }
                await #expect(
                    throws: AdministrationError.refused(.invalidInput([InputProblem(.password, .tooShort(minimum: 8))]))
                ) {
                    try await create(world, "other@town.example", password: "short")
                }
                let silent = try await create(world, "silent@town.example", password: nil)
                await #expect(throws: IdentityError.invalidCredentials) { try await world.a.signIn("silent@town.example") }
                let events = try await world.a.events("user_created", count: 2)
                #expect(events.map(\.actor) == ["administrator", "administrator"])
                #expect(Set(events.map(\.userID)) == ["\(user.id)", "\(silent.id)"])
            }
        }

        @Test func `an operator signs a user out of every session, also of one that just begins`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let other = try await world.a.signIn()
                let user = try await world.a.run { try await $0.accounts.user(member.id) }
                try await world.a.run { try await $0.accounts.signOut(member.id, caller: Copy.caller) }
                #expect(try await world.a.active([member.accessToken, other.accessToken]) == [false, false])
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(other.refreshToken) }
                // A sign-in whose password was checked before.
                await #expect(throws: IdentityError.invalidCredentials) {
                    _ = try await world.a.begin(user)
                }
                _ = try await world.a.signIn()
                let event = try #require(try await world.a.events("all_sessions_ended").first)
                #expect(event.actor == "administrator" && event.reason == "revoked")
                let nobody = Sample.userID
                await #expect(throws: IdentityError.userNotFound) {
                    try await world.a.run { try await $0.accounts.signOut(nobody, caller: Copy.caller) }
                }
            }
        }

        @Test func `every column of a user's data is exported or withheld on purpose`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let data = try await world.a.run { try await $0.administration.data(of: member.id) }
                #expect(data["user"]?["email"] == .string(Copy.email))
                let columns = try await world.a.run { parts in
                    try await parts.postgres.query(Self.personal).map { (try $0.string(0), try $0.string(1)) }
                }
                let sql = UserDataQueries.data.sql
                for (table, column) in columns where !table.hasPrefix("audit_event") {
                    let withheld = UserDataQueries.withheld[table]
                    #expect(
                        withheld?.contains(column) == true || (withheld != nil && sql.contains("'\(column)', ")),
                        "\(table).\(column) is neither exported nor withheld")
                }
                #expect(
                    Set(columns.map(\.0)).filter { !$0.hasPrefix("audit_event") || $0 == "audit_events" }
                        == Set(UserDataQueries.withheld.keys).union(["audit_events"]))
            }
        }

        @Test func `what operators look for is found by an index`() async throws {
            try await World.run { world in
                try await world.a.run { parts in
                    for statement in [Self.fill, Self.events, Self.analyze] { _ = try await parts.postgres.query(statement) }
                }
                let plans: [(Statement, String, String)] = [
                    (UserQueries.byEmailPrefix, "'u777', 'u778', 21", "users_by_email_prefix"),
                    (AuditQueries.page, "\(Self.range)", "audit_events_before_pkey"),
                    (AuditQueries.pageOfUser, "\(Self.range), '\(Sample.userID)'", "audit_events_before_user_id_id_idx"),
                    (AuditQueries.pageOfKind, "\(Self.range), 'kind_7'", "audit_events_before_kind_id_idx"),
                    (
                        AuditQueries.pageOfUserAndKind, "\(Self.range), '\(Sample.userID)', 'kind_7'",
                        "audit_events_before_user_id_id_idx"
                    ),
                ]
                for (statement, arguments, index) in plans {
                    let plan = try world.explain(statement.sql, arguments)
                    #expect(plan.contains(index), "\(statement.name):\n\(plan)")
                    // The partitions of months to come are empty.
                    #expect(!plan.contains(/Seq Scan on (users|audit_events_before)/), "\(statement.name):\n\(plan)")
                }
            }
        }

        private static let range =
            "'00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 100"
    }
}
