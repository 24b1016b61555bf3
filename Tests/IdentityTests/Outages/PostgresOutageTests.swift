import TestSupport
import Testing
import Text

@testable import Identity

extension WithFailingStores {
    /// Without PostgreSQL nobody signs in, and whoever is signed in notices nothing.
    @Suite(.enabled(if: TestPostgres.isAvailable, "there is no PostgreSQL server program on this machine"))
    struct PostgresOutageTests {
        private static let unavailable = IdentityError.unavailable(retryAfter: .seconds(1))

        @Test func `introspection, refresh and revocation go on without PostgreSQL`() async throws {
            let postgres = try TestPostgres()
            let connectionString = postgres.connectionString
            try await World.run({ $0.connectionString = connectionString }) { world in
                let member = try await world.a.signUp()
                let other = try await world.a.signIn()
                postgres.stop(.immediate)
                let next = try await world.a.refresh(member.refreshToken)
                let tokens = [member.accessToken, next.accessToken, next.refreshToken, SecretString("x")]
                #expect(try await world.a.active(tokens) == [true, true, true, false])
                let user = try await world.a.run { try await $0.tokens.authenticate(next.accessToken, for: .read) }
                #expect(user.userID == member.id)
                try await world.a.run { try await $0.tokens.revoke(member.accessToken, for: $0.app, caller: Copy.caller) }
                #expect(try await world.a.run { try await $0.sessions.list(of: member.id) }.count == 2)
                try await world.a.run { try await $0.sessions.signOut(next.refreshToken, caller: Copy.caller) }
                #expect(try await world.a.active(tokens) == [false, false, false, false])
                // A token that is no more is known to be none, although nobody can tell whether its user is still there.
                await #expect(throws: IdentityError.invalidToken) {
                    try await world.a.run { try await $0.tokens.authenticate(next.accessToken, for: .read) }
                }
                try await world.a.run { try await $0.sessions.endAll(of: member.id, reason: .revoked) }
                #expect(try await !world.a.isActive(other.accessToken))
            }
        }

        @Test func `signing up and in and changing an account wait for PostgreSQL`() async throws {
            let postgres = try TestPostgres()
            let connectionString = postgres.connectionString
            try await World.run({ $0.connectionString = connectionString }) { world in
                let member = try await world.a.signUp()
                postgres.stop(.fast)
                await #expect(throws: Self.unavailable) { try await world.a.signIn() }
                await #expect(throws: Self.unavailable) { try await world.a.signIn("nobody@town.example") }
                await #expect(throws: Self.unavailable) { try await world.a.signUp("berta@town.example") }
                let requests: [@Sendable (IdentityParts) async throws -> Void] = [
                    { _ = try await $0.accounts.user(member.id) },
                    { _ = try await $0.accounts.change(member.id, Accounts.ProfileChange(), caller: Copy.caller) },
                    { try await $0.accounts.disable(member.id, caller: Copy.caller) },
                    { try await $0.accounts.delete(member.id, from: member.sessionID, caller: Copy.caller) },
                    { parts in
                        try await parts.accounts.replacePassword(
                            of: member.id, with: SecretString("staple battery"), keeping: nil, caller: Copy.caller)
                    },
                ]
                for request in requests {
                    await #expect(throws: Self.unavailable) { try await world.a.run { try await request($0) } }
                }
                #expect(await world.a.run { $0.metrics.snapshot.signIns } == [.unavailable: 2])
                // Nothing of a session that could not begin is left, and nothing has been taken away.
                #expect(try await world.a.run { try await $0.sessions.list(of: member.id) }.map(\.id) == [member.sessionID])
                #expect(try await world.a.isActive(member.accessToken))
                try postgres.start()
                try await eventually { (try? await world.a.signIn()) != nil }
                #expect(try await world.a.userCount() == 1)
            }
        }

        @Test func `a sign-in that loses PostgreSQL half-way leaves no session behind`() async throws {
            let postgres = try TestPostgres()
            let connectionString = postgres.connectionString
            try await World.run({ $0.connectionString = connectionString }) { world in
                let member = try await world.a.signUp()
                let proved = try await world.a.run { try await $0.accounts.user(member.id) }
                postgres.stop(.immediate)
                await #expect(throws: Self.unavailable) {
                    _ = try await world.a.begin(proved)
                }
                let mine = AccessTokenHash(of: member.accessToken.revealedText).key
                #expect(try await world.a.liveTokens(of: member.id) == [mine])
                #expect(try await world.a.run { try await $0.sessions.store.ids(of: member.id) } == [member.sessionID])
            }
        }

        @Test func `clients that are known prove themselves without PostgreSQL, others cannot be told`() async throws {
            let postgres = try TestPostgres()
            let connectionString = postgres.connectionString
            let secret = ClientSecret(random: Array(0..<32))
            try await World.run {
                $0.connectionString = connectionString
                $0.clientLifetime = .zero
            } _: { world in
                let client = Client(
                    id: World.clientID("backend"), name: "Backend", authentication: .secret(secret.digest),
                    permissions: [.introspect], audiences: [World.audience])
                try await world.a.run { parts in
                    try await parts.clientStore.insert(client, at: Sample.now)
                    try await parts.clients.warmUp()
                    await #expect(throws: IdentityError.invalidClient) { try await parts.clients.client("nobody") }
                }
                postgres.stop(.immediate)
                try await world.a.run { parts in
                    for _ in 1...3 {
                        let entry = try await parts.clients.authenticate("backend", secret: secret.text)
                        #expect(entry.client == client)
                        // It may have been made a moment ago.
                        await #expect(throws: Self.unavailable) {
                            try await parts.clients.authenticate("backend", secret: SecretString("kds_x"))
                        }
                        #expect(try await parts.clients.client("app").client == parts.app)
                        for id in ["nobody", "somebody"] {
                            await #expect(throws: Self.unavailable) { try await parts.clients.client(id) }
                        }
                    }
                }
                try postgres.start()
                try await eventually { await world.a.reachesPostgres }
                await #expect(throws: IdentityError.invalidClient) {
                    try await world.a.run { _ = try await $0.clients.client("nobody") }
                }
            }
        }
    }
}
