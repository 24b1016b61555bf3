import Testing
import Text

@testable import Identity

extension WithStores {
    /// What operators do with clients, and what becomes of the tokens that clients got by themselves.
    @Suite struct ClientAdministrationTests {
        private static let id = World.clientID("robot")
        /// Until every copy has taken notice, and a little more.
        private static let notice: Duration = .seconds(12)

        private func addClient(_ world: World) async throws -> Client {
            let secret = ClientSecret(random: Array(repeating: 1, count: ClientSecret.randomByteCount))
            let client = Client(
                id: Self.id, name: "Robot", authentication: .secret(secret.digest), permissions: [], audiences: [World.audience],
                accessTokenFormat: .opaque, scopes: ["read"])
            try await world.a.run { try await $0.administration.addClient(client) }
            return client
        }

        private func token(of client: Client, on copy: Copy) async throws -> SecretString {
            try await copy.run { try await $0.clientTokens.issue(to: client).accessToken }
        }

        private func work(_ world: World) async {
            let runner = world.a.runner([
                ClientTokenEndingHandler(
                    clients: world.a.parts.clientStore, tokens: world.a.parts.clientTokens,
                    remains: ClientRemains(world.a.parts.sessions))
            ])
            await runner.work()
        }

        @Test func `a client that is disabled has no tokens and gets none, until it is enabled`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let client = try await addClient(world)
                let token = try await token(of: client, on: world.b)
                #expect(try await world.a.run { try await $0.administration.disableClient(Self.id) } == true)
                #expect(try await !world.b.isActive(token))
                // The other copy still takes it for what it was.
                await #expect(throws: IdentityError.clientNotPermitted) { try await self.token(of: client, on: world.b) }
                #expect(try await world.a.run { try await $0.administration.disableClient(Self.id) } == false)
                #expect(try await world.a.run { try await $0.administration.enableClient(Self.id) } == true)
                let later = try await self.token(of: client, on: world.b)
                #expect(try await world.a.run { try await $0.administration.enableClient(Self.id) } == false)
                #expect(try await world.a.isActive(later))
                // Events are written later, in the order in which they came; those of one instant are read in any order.
                _ = try await world.a.events("client_enabled")
                let kinds = ["client_added", "client_disabled", "client_enabled"]
                let events = try await world.a.recordedEvents().filter { $0.clientID == "robot" }
                #expect(events.map(\.kind).sorted() == kinds && events.allSatisfy { $0.actor == "administrator" })
            }
        }

        @Test func `a client that is deleted has no tokens, and one that is added later under its id gets some`() async throws {
            try await World.run { world in
                let client = try await addClient(world)
                let token = try await token(of: client, on: world.a)
                #expect(try await world.a.run { try await $0.administration.deleteClient(Self.id) })
                #expect(try await !world.a.isActive(token))
                await #expect(throws: IdentityError.clientNotPermitted) { try await self.token(of: client, on: world.a) }
                #expect(try await world.a.run { try await !$0.administration.deleteClient(Self.id) })
                let later = try await self.token(of: try await addClient(world), on: world.a)
                #expect(try await world.a.isActive(later))
                await #expect(throws: AdministrationError.refused(.client(.idTaken))) { try await addClient(world) }
            }
        }

        @Test func `what a copy has given a client that was gone already ends a little later`() async throws {
            try await World.run { world in
                let client = try await addClient(world)
                #expect(try await world.a.run { try await $0.administration.deleteClient(Self.id) })
                let user = try await world.a.signUp()
                let given = try await world.a.run {
                    try await $0.sessions.grant(to: client, in: user.sessionID, refresh: .static)
                }
                await work(world)
                #expect(try await world.a.isActive(given.accessToken))
                world.clock.advance(by: Self.notice)
                await work(world)
                #expect(try await !world.a.isActive(given.accessToken))
                #expect(try await world.a.isActive(user.accessToken))
            }
        }

        @Test(arguments: [true, false])
        func `tokens end later if Redis has lost their end`(deletes: Bool) async throws {
            try await World.run { world in
                let client = try await addClient(world)
                try await world.a.run {
                    if deletes {
                        _ = try await $0.administration.deleteClient(Self.id)
                    } else {
                        _ = try await $0.administration.disableClient(Self.id)
                    }
                    try await $0.clientTokens.admit(Self.id)
                }
                let token = try await token(of: client, on: world.a)
                await work(world)
                #expect(try await world.a.isActive(token))
                world.clock.advance(by: Self.notice)
                await work(world)
                #expect(try await !world.a.isActive(token))
                await #expect(throws: IdentityError.clientNotPermitted) { try await self.token(of: client, on: world.a) }
            }
        }

        @Test func `what was got by a secret that has leaked ends with it, and the client goes on`() async throws {
            try await World.run { world in
                let client = try await addClient(world)
                let first = try await token(of: client, on: world.a)
                // With an overlap nothing has leaked yet.
                let replaced = try await world.a.run {
                    try await $0.administration.replaceSecret(of: Self.id, overlap: .seconds(3600))
                }
                #expect(replaced?.before.id == Self.id && replaced?.secret != nil)
                world.clock.advance(by: Self.notice)
                await work(world)
                #expect(try await world.a.isActive(first))
                let ended = try await world.a.run { try await $0.administration.endPreviousSecret(of: Self.id) }
                #expect(ended?.isEnded == true)
                #expect(try await !world.a.isActive(first))
                let second = try await token(of: client, on: world.a)
                _ = try await world.a.run { try await $0.administration.replaceSecret(of: Self.id, overlap: .zero) }
                #expect(try await !world.a.isActive(second))
                // From a copy that still takes the old secret.
                let late = try await token(of: client, on: world.a)
                world.clock.advance(by: Self.notice)
                await work(world)
                #expect(try await !world.a.isActive(late))
                let third = try await token(of: client, on: world.a)
                #expect(try await world.a.isActive(third))
                #expect(try await world.a.run { try await $0.administration.endPreviousSecret(of: Self.id) }?.isEnded == false)
            }
        }

        @Test func `what is not permitted is not done`() async throws {
            try await World.run { world in
                let client = try await addClient(world)
                let reader = Administrator(name: "ben", source: .api, permissions: [.readClients])
                try await world.a.run { parts throws in
                    let admin = parts.administration(as: reader)
                    #expect(try await admin.clients().map(\.client.id) == [Self.id])
                    for attempt in 0..<6 {
                        await #expect(throws: AdministrationError.notPermitted(.manageClients)) {
                            switch attempt {
                            case 0: try await admin.addClient(client)
                            case 1: _ = try await admin.disableClient(Self.id)
                            case 2: _ = try await admin.enableClient(Self.id)
                            case 3: _ = try await admin.deleteClient(Self.id)
                            case 4: _ = try await admin.replaceSecret(of: Self.id, overlap: .zero)
                            default: _ = try await admin.endPreviousSecret(of: Self.id)
                            }
                        }
                    }
                    let changer = parts.administration(as: Administrator(name: nil, source: .api, permissions: [.manageClients]))
                    await #expect(throws: AdministrationError.notPermitted(.readClients)) { try await changer.client(Self.id) }
                }
            }
        }

        @Test func `nothing is said of a client that there is not`() async throws {
            try await World.run { world in
                try await world.a.run { parts throws in
                    let admin = parts.administration
                    #expect(try await admin.client(Self.id) == nil)
                    #expect(try await admin.disableClient(Self.id) == nil)
                    #expect(try await admin.enableClient(Self.id) == nil)
                    #expect(try await admin.replaceSecret(of: Self.id, overlap: .zero) == nil)
                    #expect(try await admin.endPreviousSecret(of: Self.id) == nil)
                }
                #expect(try await world.a.recordedEvents().isEmpty)
            }
        }
    }
}
