import Crypto
import Postgres
import Redis
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// What may be found in the stores and in the log by whoever gets at them, after all that users and thieves do.
    @Suite struct SecretsTests {
        private static let rows = Statement(
            name: "test_all_rows",
            sql: """
                SELECT 'users', u::text FROM users u UNION ALL SELECT 'clients', c::text FROM clients c
                UNION ALL SELECT 'signing_keys', k::text FROM signing_keys k
                UNION ALL SELECT 'audit_events', e::text FROM audit_events e
                """)

        private static let wrongPassword = "canary-of-a-wrong-password"
        private static let newPassword = "canary-of-a-new-password"

        /// Does what can be done, and returns every secret that was handed out or sent.
        private func live(_ world: World) async throws -> [String] {
            var tokens: [SecretString] = []
            for kind in RefreshRotation.Mode.allCases { tokens += try await liveUser(kind, world) }
            var secrets = [Copy.password, Self.wrongPassword, Self.newPassword, try await liveClient(world)]
            secrets += tokens.map(\.revealedText)
            // The part of each that proves something.
            secrets += tokens.map(Self.digest)
            world.redis.stop()
            for token in tokens { await #expect(throws: IdentityError.self) { try await world.a.refresh(token) } }
            try world.redis.start()
            try await eventually { await world.a.parts.redis.isReady }
            return secrets
        }

        private static func digest(of token: SecretString) -> String {
            token.revealedText.split(separator: ".").last.map { String($0) } ?? ""
        }

        /// A user's life and a thief's, and the tokens of both.
        private func liveUser(_ kind: RefreshRotation.Mode, _ world: World) async throws -> [SecretString] {
            let email = "\(kind)@town.example"
            let member = try await world.a.signUp(email, kind: kind)
            let other = try await world.a.signIn(email, kind: kind)
            await #expect(throws: IdentityError.invalidCredentials) {
                try await world.a.signIn(email, password: Self.wrongPassword)
            }
            await #expect(throws: IdentityError.emailTaken) { try await world.a.signUp(email) }
            var issued = [member.tokens, other.tokens]
            issued.append(try await world.a.refresh(member.refreshToken, wantsRotation: true))
            issued.append(try await world.a.refresh(member.refreshToken))
            try await world.pass(.seconds(60))
            issued.append(try await world.a.refresh(member.refreshToken))
            issued.append(try await world.a.refresh(issued[4].refreshToken))
            for _ in 1...2 {
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(member.refreshToken) }
            }
            _ = try await world.a.active(issued.flatMap { [$0.accessToken, $0.refreshToken] })
            try await world.a.run { parts in
                _ = try await parts.tokens.authenticate(other.accessToken, for: .read)
                await #expect(throws: IdentityError.invalidToken) {
                    try await parts.tokens.authenticate(member.accessToken, for: .read)
                }
                try await parts.tokens.revoke(other.accessToken, for: parts.app, caller: Copy.caller)
                try await parts.accounts.replacePassword(
                    of: member.id, with: SecretString(Self.newPassword), keeping: nil, caller: Copy.caller)
            }
            issued.append(try await world.a.signIn(email, password: Self.newPassword, kind: kind).tokens)
            if kind == .static {
                try await world.a.run { try await $0.accounts.delete(member.id, caller: Copy.caller) }
            }
            return issued.flatMap { [$0.accessToken, $0.refreshToken] }
        }

        /// What a client does, and its secret.
        private func liveClient(_ world: World) async throws -> String {
            let secret = ClientSecret(random: SecureRandom.bytes(32))
            try await world.a.run { parts in
                let client = Client(
                    id: World.clientID("backend"), name: "Backend", authentication: .secret(secret.digest),
                    permissions: [.introspect], audiences: [Client.anyAudience])
                try await parts.clientStore.insert(client, at: Sample.now)
                let entry = try await parts.clients.authenticate("backend", secret: secret.text)
                _ = try await parts.introspection.answer(SecretString("x"), for: entry)
                await #expect(throws: IdentityError.invalidClient) {
                    try await parts.clients.authenticate("backend", secret: SecretString(Self.wrongPassword))
                }
            }
            return secret.text.revealedText
        }

        @Test(arguments: [AccessTokenFormat.jwtES256, .opaque])
        func `no secret is in PostgreSQL or in the log, and no password hash outside of the users`(
            format: AccessTokenFormat
        ) async throws {
            try await World.run({ $0.client = World.app(format: format) }) { world in
                let secrets = try await live(world)
                // What is recorded last is written last.
                _ = await world.a.run { await $0.audit.close() }
                let rows = try await world.a.run { parts in
                    try await parts.postgres.query(Self.rows).map { (table: try $0.string(0), text: try $0.string(1)) }
                }
                #expect(Set(rows.map(\.table)).isSuperset(of: ["users", "clients", "audit_events"]))
                #expect(rows.count { $0.table == "audit_events" } > 20)
                let log = world.logged
                #expect(log.contains("Redis connected"))
                for secret in secrets {
                    #expect(!log.contains(secret))
                    #expect(!rows.contains { $0.text.contains(secret) })
                }
                #expect(!log.contains("$argon2"))
                #expect(!rows.contains { $0.table != "users" && $0.text.contains("$argon2") })
                #expect(rows.contains { $0.table == "users" && $0.text.contains("$argon2id$") })
            }
        }

        @Test(arguments: [AccessTokenFormat.jwtES256, .opaque])
        func `everything in Redis comes to an end, and none of it is a token`(format: AccessTokenFormat) async throws {
            try await World.run({ $0.client = World.app(format: format) }) { world in
                var members: [Member] = []
                for kind in RefreshRotation.Mode.allCases {
                    let member = try await world.a.signUp("\(kind)@town.example", kind: kind)
                    members += [member, try await world.a.signIn("\(kind)@town.example", kind: kind)]
                }
                members.append(try await world.a.signUp("lives@town.example"))
                var tokens = members.flatMap { [$0.accessToken, $0.refreshToken] }
                for member in members {
                    for _ in 1...2 {
                        let next = try await world.a.refresh(member.refreshToken, wantsRotation: true)
                        tokens += [next.accessToken, next.refreshToken]
                        world.clock.advance(by: .seconds(61))
                    }
                }
                let users = members
                try await world.a.run { parts in
                    try await parts.sessions.signOut(users[0].refreshToken, caller: Copy.caller)
                    try await parts.accounts.delete(users[0].id, caller: Copy.caller)
                    try await parts.accounts.disable(users[2].id, caller: Copy.caller)
                }
                await #expect(throws: IdentityError.invalidCredentials) { _ = try await world.a.begin(users[2].user) }
                _ = try await world.a.active(tokens)
                let items = try await world.a.keyspace().items
                let kinds = Set(items.map { String($0.key.prefix { $0 != ":" }) })
                #expect(kinds == ["at", "session", "user"])
                for item in items {
                    #expect(item.life >= 0, "\(item.key)")
                    #expect(item.life <= 91 * 86_400_000, "\(item.key)")
                    for token in tokens {
                        let digest = Self.digest(of: token)
                        #expect(!item.key.contains(digest) && !item.text.contains(digest), "\(item.key)")
                    }
                    #expect(!item.text.contains("$argon2") && !item.text.contains(Copy.password))
                }
            }
        }

        @Test func `errors and values print no secret`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                var printed = "\(member) \(member.tokens) \(String(reflecting: member.tokens))"
                dump(member.tokens, to: &printed)
                dump(Accounts.SignUp(email: "a@b.example", password: SecretString(Copy.password), displayName: nil), to: &printed)
                for secret in [member.accessToken, member.refreshToken, SecretString(Copy.password)] {
                    #expect(!printed.contains(secret.revealedText))
                }
                #expect(!printed.contains(member.tokens.session.salt.storedText))
            }
        }
    }
}
