import Testing
import Text

@testable import Identity

extension WithStores {
    /// Rules 3 and 7: what a signed-in user does about the ways in.
    @Suite struct LinkingTests {
        @Test func `rule 3: a user who has just signed in adds a provider`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try await world.a.link(.google(), to: member)
                // Whatever the identity's address is.
                #expect(try await world.a.user(member.id).email?.typed == Copy.email)
                #expect(try await !world.a.user(member.id).emailVerified)
                #expect(try await world.a.signIn(.google()).member.id == member.id)
                #expect(try await world.a.signIn().user.firstProvider == .google)
                let events = try await world.a.events("identity_linked")
                #expect(events.map(\.reason) == ["requested"])
                #expect(events.map(\.sessionID) == [member.sessionID.text])
                // Once more is no more.
                try await world.a.link(.google(), to: member)
                #expect(try await world.a.identities(of: member.id).count == 1)
                #expect(await world.a.run { $0.metrics.snapshot.identityChanges } == [.linked: 1])
            }
        }

        @Test func `rule 3: five minutes after the sign-in it is too late, and a refresh does not help`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                world.clock.advance(by: .seconds(300))
                try await world.a.link(.google(), to: member)
                world.clock.advance(by: .milliseconds(1))
                _ = try await world.a.refresh(member.refreshToken)
                await #expect(throws: IdentityError.recentSignInRequired) { try await world.a.link(.apple(), to: member) }
                #expect(try await world.a.events("identity_change_refused").map(\.reason) == ["not_recent"])
                let again = try await world.a.signIn()
                try await world.a.link(.apple(), to: again)
                #expect(try await world.a.identities(of: member.id).map(\.provider) == [.google, .apple])
            }
        }

        @Test func `rule 3: only a live session of the user counts`() async throws {
            try await World.run { world in
                let (anna, berta) = (try await world.a.signUp(), try await world.a.signUp("berta@town.example"))
                let verifiedToken = try ProviderProof.google().token()
                await #expect(throws: IdentityError.recentSignInRequired) {
                    try await world.a.run {
                        try await $0.accounts.link(verifiedToken, to: anna.id, session: berta.sessionID, caller: Copy.caller)
                    }
                }
                try await world.a.run { try await $0.sessions.signOut(anna.refreshToken, caller: Copy.caller) }
                await #expect(throws: IdentityError.recentSignInRequired) { try await world.a.link(.google(), to: anna) }
            }
        }

        @Test func `rule 3: an identity that is another user's stays there`() async throws {
            try await World.run { world in
                let owner = try await world.a.signIn(.google()).member
                let other = try await world.a.signUp()
                await #expect(throws: IdentityError.identityTaken) { try await world.a.link(.google(), to: other) }
                #expect(try await world.a.identities(of: other.id).isEmpty)
                #expect(try await world.a.signIn(.google()).member.id == owner.id)
                #expect(try await world.a.events("identity_change_refused").map(\.reason) == ["identity_taken"])
            }
        }

        @Test func `rule 7: the last way in stays, and a password counts as one`() async throws {
            try await World.run { world in
                let member = try await world.a.signIn(.google()).member
                await #expect(throws: IdentityError.lastSignInMethod) { try await world.a.unlink(.google, from: member) }
                #expect(try await world.a.events("identity_change_refused").map(\.reason) == ["last_method"])
                await #expect(throws: IdentityError.identityNotFound) { try await world.a.unlink(.apple, from: member) }
                try await world.a.run {
                    try await $0.accounts.replacePassword(
                        of: member.id, with: SecretString(Copy.password), keeping: member.sessionID, caller: Copy.caller)
                }
                #expect(try await world.a.run { try await $0.accounts.hasPassword(member.id) })
                try await world.a.unlink(.google, from: member)
                #expect(try await world.a.identities(of: member.id).isEmpty)
                #expect(try await world.a.user(member.id).firstProvider == nil)
                #expect(try await world.a.signIn("anna@gmail.com").id == member.id)
                #expect(try await world.a.events("identity_unlinked").count == 1)
            }
        }

        @Test func `rule 7: an identity of a provider that is not configured is no way in`() async throws {
            try await World.run({ $0.providers = [.google] }) { world in
                let member = try await world.a.signIn(.google()).member
                try await world.a.link(.apple(), to: member)
                await #expect(throws: IdentityError.lastSignInMethod) { try await world.a.unlink(.google, from: member) }
                try await world.a.unlink(.apple, from: member)
                #expect(try await world.a.identities(of: member.id).map(\.provider) == [.google])
            }
        }

        @Test func `what an unlinked identity had opened ends, but for the session that asks`() async throws {
            try await World.run { world in
                let member = try await world.a.signIn(.google()).member
                try await world.a.link(.apple(email: nil), to: member)
                let other = try await world.a.signIn(.google()).member
                let apple = try await world.a.signIn(.apple(email: nil)).member
                try await world.a.unlink(.google, from: member)
                let tokens = [member.accessToken, other.accessToken, apple.accessToken]
                #expect(try await world.a.active(tokens) == [true, false, true])
                // The identity is free again.
                let (stranger, isNew) = try await world.a.signIn(.google("112233445566778899000", email: "new@gmail.com"))
                #expect(isNew && stranger.id != member.id)
            }
        }

        @Test func `a sign-in with an identity that is unlinked meanwhile is void`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try await world.a.link(.google(), to: member)
                let before = try await world.a.user(member.id)
                try await world.a.unlink(.google, from: member)
                await #expect(throws: IdentityError.invalidCredentials) {
                    try await world.a.begin(before)
                }
            }
        }
    }
}
