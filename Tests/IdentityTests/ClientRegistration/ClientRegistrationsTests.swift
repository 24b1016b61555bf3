import Testing
import Text

@testable import Identity

extension WithStores {
    /// Clients that look after their own registrations.
    @Suite struct ClientRegistrationsTests {
        private static let id = World.clientID("robot")

        private func registrations(_ world: World) throws -> ClientRegistrations {
            let parts = world.a.parts
            return ClientRegistrations(
                store: parts.clientStore, redis: parts.redis, tokens: try InitialAccessTokens(world.masterKey),
                sessions: parts.sessions, clientTokens: parts.clientTokens, system: world.a.system)
        }

        private func register(
            _ world: World, _ registrations: ClientRegistrations
        ) async throws -> ClientRegistrations.Registered {
            let initial = try InitialAccessTokens(world.masterKey).token(
                until: world.clock.now.adding(.seconds(600)), uses: 1,
                random: Array(repeating: 1, count: InitialAccessTokens.randomByteCount))
            let draft = Client(
                id: Self.id, name: "Robot", kind: .service, authentication: .publicClient, permissions: [],
                audiences: [World.audience], accessTokenFormat: .opaque, scopes: ["read"])
            return try await world.a.run { _ in
                try await registrations.register(draft, with: initial, needsSecret: true, caller: Copy.caller)
            }
        }

        @Test func `a client that deletes its registration has no tokens and gets none`() async throws {
            try await World.run { world in
                let registrations = try registrations(world)
                let client = try await register(world, registrations).client
                let token = try await world.a.run { try await $0.clientTokens.issue(to: client).accessToken }
                #expect(try await world.a.isActive(token))
                try await world.a.run { _ in try await registrations.delete(client.id, caller: Copy.caller) }
                #expect(try await !world.a.isActive(token))
                await #expect(throws: IdentityError.clientNotPermitted) {
                    try await world.a.run { try await $0.clientTokens.issue(to: client) }
                }
                #expect(try await world.a.run { try await $0.administration.client(Self.id) } == nil)
            }
        }

        @Test func `what an operator does while a client replaces its registration stays`() async throws {
            try await World.run { world in
                let registrations = try registrations(world)
                let registered = try await register(world, registrations)
                let seen = try await world.a.run { _ in
                    try await registrations.client(Self.id.text, registered.accessToken.text)
                }
                let replace: @Sendable (IdentityParts) async throws -> Void = { _ in
                    _ = try await registrations.replace(seen, needsSecret: true, caller: Copy.caller)
                }
                let replaced = try await world.a.run {
                    try await $0.administration.replaceSecret(of: Self.id, overlap: .zero)
                }
                let secret = try #require(replaced?.secret)
                try await world.a.run(replace)
                let after = try await world.a.run { try await $0.administration.client(Self.id) }
                #expect(after?.client.authentication == .secret(secret.digest))
                #expect(try await world.a.run { try await $0.administration.disableClient(Self.id) } == true)
                await #expect(throws: IdentityError.invalidToken) { try await world.a.run(replace) }
                let last = try await world.a.run { try await $0.administration.client(Self.id) }
                #expect(last?.client.isDisabled == true)
            }
        }
    }
}
