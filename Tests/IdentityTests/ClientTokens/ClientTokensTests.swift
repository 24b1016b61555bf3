import Testing
import Text

@testable import Identity

extension WithStores {
    /// Access tokens of clients that act by themselves.
    @Suite struct ClientTokensTests {
        private static func robot(_ format: AccessTokenFormat = .jwtES256) -> Client {
            Client(
                id: World.clientID("robot"), name: "Robot", authentication: .publicClient, permissions: [.introspect],
                audiences: [World.audience], accessTokenFormat: format, scopes: ["read"])
        }

        private func issue(on copy: Copy, _ scopes: [String]? = nil, _ format: AccessTokenFormat = .jwtES256) async throws
            -> SecretString
        {
            try await copy.run {
                try await $0.clientTokens.issue(to: Self.robot(format), scopes: scopes).accessToken
            }
        }

        @Test(arguments: [AccessTokenFormat.jwtES256, .opaque])
        func `a client's token speaks for the client, and opens no account`(format: AccessTokenFormat) async throws {
            try await World.run { world in
                let token = try await issue(on: world.a, ["read", AccountAccess.scope], format)
                let answer = try await world.a.introspect(token)
                #expect(answer["active"] == true && answer["sub"] == "robot" && answer["client_id"] == "robot")
                #expect(answer["username"] == nil && answer["sid"] == nil && answer["auth_time"] == nil)
                let principal = try await world.a.run { try await $0.tokens.authenticate(token) }
                #expect(principal.subject == .client && principal.scopes == ["read", "account"])
                await #expect(throws: IdentityError.invalidToken) {
                    try await world.a.run { try await $0.tokens.authenticate(token, for: .read) }
                }
                try await world.pass(.seconds(900))
                #expect(try await world.a.introspect(token) == ["active": false])
                try await world.pass(.seconds(400))
                #expect(try await world.a.keyspace().items.isEmpty)
            }
        }

        @Test func `a client that is ended has no token, and gets none until it is admitted, at no copy`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                var issued: [SecretString] = []
                for number in 0..<5 { issued.append(try await issue(on: world.copies[number % 2])) }
                try await world.b.run { try await $0.clientTokens.endAll(of: Self.robot().id) }
                for token in issued { #expect(try await world.a.introspect(token) == ["active": false]) }
                await #expect(throws: IdentityError.clientNotPermitted) { try await issue(on: world.a) }
                #expect(try await world.a.keyspace().keys("at:").isEmpty)
                #expect(try await world.a.keyspace().items.allSatisfy { $0.life > 0 })
                try await world.a.run { try await $0.clientTokens.admit(Self.robot().id) }
                #expect(try await world.b.introspect(try await issue(on: world.a))["active"] == true)
            }
        }

        @Test func `its client can revoke it`() async throws {
            try await World.run { world in
                let token = try await issue(on: world.a)
                await #expect(throws: IdentityError.clientNotPermitted) {
                    try await world.a.run { try await $0.tokens.revoke(token, for: $0.app, caller: Copy.caller) }
                }
                try await world.a.run { try await $0.tokens.revoke(token, for: Self.robot(), caller: Copy.caller) }
                #expect(try await world.a.introspect(token) == ["active": false])
            }
        }
    }
}
