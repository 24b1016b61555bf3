import Testing
import Text

@testable import Identity

extension WithStores {
    /// Revocation of a token, of a session and of everything, seen from another running copy.
    @Suite struct RevocationTests {
        private func revoke(_ token: SecretString, on copy: Copy, for client: Client? = nil) async throws {
            try await copy.run { try await $0.tokens.revoke(token, for: client ?? $0.app, caller: Copy.caller) }
        }

        private static let kiosk = Client(
            id: World.clientID("kiosk"), name: "Kiosk", authentication: .publicClient, permissions: [.signIn],
            audiences: [World.audience])

        @Test func `what one copy has revoked is inactive on the other at its very next question`() async throws {
            try await World.run({
                $0.copies = 2
                $0.client = World.app(format: .opaque)
            }) { world in
                let (a, b) = (world.a, world.b)
                var member = try await a.signUp()
                for round in 0..<1000 {
                    var tokens = member.tokens
                    #expect(try await b.active([tokens.accessToken, tokens.refreshToken]) == [true, true])
                    switch round % 3 {
                    case 0:
                        try await revoke(tokens.accessToken, on: a)
                        #expect(try await !b.isActive(tokens.accessToken))
                        tokens = try await b.refresh(tokens.refreshToken)
                        try await revoke(tokens.refreshToken, on: a)
                    case 1:
                        let id = tokens.session.id
                        let user = member.id
                        try await a.run { try await $0.sessions.end(id, of: user, reason: .revoked, caller: Copy.caller) }
                    default:
                        let user = member.id
                        try await a.run { try await $0.sessions.endAll(of: user, reason: .revoked) }
                    }
                    #expect(try await b.active([tokens.accessToken, tokens.refreshToken]) == [false, false])
                    if round < 999 { member = try await b.signIn() }
                }
                #expect(try await b.liveTokens(of: member.id) == [])
            }
        }

        @Test func `an access token is revoked alone`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let next = try await world.a.refresh(member.refreshToken)
                try await revoke(member.accessToken, on: world.a)
                let tokens = [member.accessToken, next.accessToken, next.refreshToken]
                #expect(try await world.a.active(tokens) == [false, true, true])
                let events = try await world.a.events("token_revoked")
                #expect(events.map(\.actor) == ["client:app"])
                #expect(events.map(\.sessionID) == [member.sessionID.text])
            }
        }

        @Test func `a refresh token is revoked with its session, also one that has given way`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let next = try await world.a.refresh(member.refreshToken)
                try await revoke(member.refreshToken, on: world.a)
                let tokens = [member.accessToken, next.accessToken, next.refreshToken]
                #expect(try await world.a.active(tokens) == [false, false, false])
                let events = try await world.a.events("session_ended")
                #expect(events.map(\.actor) == ["client:app"])
                #expect(events.map(\.reason) == ["revoked"])
            }
        }

        @Test func `what is no token, or no longer one, is no error`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                for text in ["", "x", "kdr_", "kdr_x.1.y", "kda_x", String(repeating: "a", count: 100_000)] {
                    try await revoke(SecretString(text), on: world.a)
                }
                for _ in 1...2 {
                    try await revoke(member.accessToken, on: world.a)
                    try await revoke(member.refreshToken, on: world.a)
                }
                #expect(try await world.a.events("session_ended").count == 1)
            }
        }

        @Test func `another client's token stays as it is`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                for token in [member.accessToken, member.refreshToken] {
                    await #expect(throws: IdentityError.clientNotPermitted) {
                        try await revoke(token, on: world.a, for: Self.kiosk)
                    }
                }
                #expect(try await world.a.active([member.accessToken, member.refreshToken]) == [true, true])
            }
        }

        @Test func `a revocation that failed half-way is finished by the next attempt`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try await world.a.permitKeys("session:*", "user:*")
                await #expect(throws: IdentityError.internalFault) { try await revoke(member.refreshToken, on: world.a) }
                try await world.a.permitKeys("*")
                #expect(try await world.a.isActive(member.accessToken))
                try await revoke(member.refreshToken, on: world.a)
                #expect(try await !world.a.isActive(member.accessToken))
            }
        }
    }
}
