import Testing
import Text

@testable import Identity

extension WithStores {
    /// What users have allowed clients to get, and take back.
    @Suite struct ConsentsTests {
        @Test func `a consent that is taken back is on record once, whatever fails behind it`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let secret = ClientSecret(random: Array(repeating: 1, count: ClientSecret.randomByteCount))
                let client = Client(
                    id: World.clientID("shop"), name: "Shop", authentication: .secret(secret.digest), permissions: [],
                    audiences: [World.audience])
                let consents = Consents(
                    pool: world.a.parts.postgres, sessions: world.a.parts.sessions, system: world.a.system)
                try await world.a.run {
                    try await $0.administration.addClient(client)
                    try await consents.grant(
                        ["email"], to: client.id, by: member.id, in: member.sessionID, caller: Copy.caller)
                }
                let withdraw: @Sendable (IdentityParts) async throws -> Void = { _ in
                    try await consents.withdraw(client.id, of: member.id, in: member.sessionID, caller: Copy.caller)
                }
                try await world.a.permitKeys("at:*")
                await #expect(throws: IdentityError.internalFault) { try await world.a.run(withdraw) }
                try await world.a.permitKeys("*")
                // The user can ask again.
                #expect(try await world.a.run { _ in try await consents.list(of: member.id) }.count == 1)
                try await world.a.run(withdraw)
                #expect(try await world.a.run { _ in try await consents.list(of: member.id) } == [])
                try await eventually {
                    try await world.a.recordedEvents().filter { $0.kind == "consent_withdrawn" }.count == 1
                }
            }
        }
    }
}
