import Testing
import Text

@testable import Identity

extension WithStores {
    /// Rule 4b: somebody has made an account with an address that is not theirs, to wait for the one whose it is.
    @Suite struct PreHijackTests {
        @Test func `the owner of the address gets the account, and nobody else stays in it`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let hijacker = try await world.a.signUp("Anna@gmail.com", name: "Mallory")
                try await world.a.link(.apple("mallory", email: "mallory@town.example"), to: hijacker)
                let second = try await world.b.signIn(.apple("mallory", email: nil)).member
                let rotated = try await world.b.refresh(second.refreshToken)

                let (owner, isNew) = try await world.b.signIn(.google())
                #expect(!isNew && owner.id == hijacker.id)
                #expect(owner.user.emailVerified)
                #expect(owner.user.firstProvider == .google)
                #expect(try await world.a.isActive(owner.accessToken))

                #expect(
                    try await world.a.active([hijacker.accessToken, second.accessToken, rotated.accessToken]) == [
                        false, false, false,
                    ])
                for token in [hijacker.refreshToken, second.refreshToken, rotated.refreshToken] {
                    await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(token) }
                }
                await #expect(throws: IdentityError.invalidCredentials) { try await world.a.signIn("anna@gmail.com") }
                #expect(try await world.a.identities(of: owner.id).map(\.provider) == [.google])
                // The hijacker's identity opens an account of its own, or none.
                let elsewhere = try await world.a.signIn(.apple("mallory", email: "mallory@town.example")).member
                #expect(elsewhere.id != owner.id)
                #expect(try await world.a.signIn(.google()).member.id == owner.id)
                #expect(try await world.b.events("account_reclaimed").map(\.userID) == [owner.id.description])
                #expect(await world.b.run { $0.metrics.snapshot.providerSignIns } == [.known: 1, .reclaimed: 1])
            }
        }

        @Test func `a sign-in or a link that is under way comes too late`() async throws {
            try await World.run { world in
                let hijacker = try await world.a.signUp("anna@gmail.com")
                // As they read the account before.
                let before = try await world.a.user(hijacker.id)
                let owner = try await world.a.signIn(.google()).member
                await #expect(throws: IdentityError.invalidCredentials) {
                    try await world.a.begin(before)
                }
                let claim = PresentedIdentity(try ProviderProof.apple().token(), toldName: nil, claimedEmail: nil)
                let added = try await world.a.run { parts in
                    try await parts.accounts.add(claim.identity(of: before.id, at: Sample.now), to: before, Copy.caller)
                }
                #expect(!added)
                #expect(try await world.a.identities(of: owner.id).map(\.provider) == [.google])
                await #expect(throws: IdentityError.recentSignInRequired) {
                    try await world.a.link(.apple("mallory"), to: hijacker)
                }
            }
        }

        @Test func `while the sessions cannot be ended nothing changes hands`() async throws {
            try await World.run { world in
                let hijacker = try await world.a.signUp("anna@gmail.com")
                try await world.a.permitKeys("at:*")
                await #expect(throws: IdentityError.internalFault) { try await world.a.signIn(.google()) }
                #expect(try await !world.a.user(hijacker.id).emailVerified)
                #expect(try await world.a.identities(of: hijacker.id).isEmpty)
                try await world.a.permitKeys("*")
                #expect(try await world.a.signIn(.google()).member.id == hijacker.id)
                #expect(try await !world.a.isActive(hijacker.accessToken))
            }
        }

        @Test func `an address that was proved is not taken back`() async throws {
            try await World.run { world in
                let local = try await world.a.signUp("anna@gmail.com")
                try await world.a.verifyEmail(of: local.id)
                #expect(try await world.a.signIn(.google()).member.id == local.id)
                #expect(try await world.a.isActive(local.accessToken))
                #expect(try await world.a.signIn("anna@gmail.com").id == local.id)
            }
        }
    }
}
