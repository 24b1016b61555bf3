import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// An address that an account only claims reserves nothing until it is proved.
    @Suite struct ClaimedAddressTests {
        private static let address = "anna@gmail.com"
        private static let new = "staple battery horse correct"

        /// Somebody who signs in with a token without an address, and says that it is this one.
        private func squatter(on copy: Copy, _ subject: String = "mallory") async throws -> Member {
            try await copy.signIn(.apple(subject, email: nil), claimedEmail: Self.address).member
        }

        @Test func `whose address is claimed registers it all the same, resets by it, and is the one who has it`() async throws {
            try await World.run { world in
                let squatter = try await squatter(on: world.a)
                #expect(squatter.user.emailClaimed && !squatter.user.emailVerified)
                #expect(try await world.a.resetCode(Self.address) == nil)
                let owner = try await world.a.signUp(Self.address)
                #expect(owner.id != squatter.id && !owner.user.emailClaimed)
                #expect(try await world.a.signIn(Self.address).id == owner.id)
                let code = try #require(await world.a.resetCode(Self.address))
                try await world.a.resetPassword(code, to: Self.new)
                #expect(try await world.a.signIn(Self.address, password: Self.new).id == owner.id)
                // The squatter still has an account of their own, and nothing of the owner's.
                #expect(try await world.a.signIn(.apple("mallory", email: nil)).member.id == squatter.id)
                #expect(try await world.a.isActive(squatter.accessToken))
            }
        }

        @Test func `a provider that speaks for a claimed address makes an account of it`() async throws {
            try await World.run { world in
                let squatter = try await squatter(on: world.a)
                let (owner, isNew) = try await world.a.signIn(.google())
                #expect(isNew && owner.id != squatter.id && owner.user.emailVerified)
            }
        }

        @Test func `many can claim one address, and whoever proves it first has it`() async throws {
            try await World.run { world in
                let (first, second) = (try await squatter(on: world.a, "1"), try await squatter(on: world.a, "2"))
                #expect(first.id != second.id)
                let codes = [
                    try await world.a.verificationCode(of: first.user), try await world.a.verificationCode(of: second.user),
                ]
                try await world.a.verify(codes[1])
                let user = try await world.a.user(second.id)
                #expect(user.emailVerified && !user.emailClaimed)
                await #expect(throws: IdentityError.invalidCode) { try await world.a.verify(codes[0]) }
                #expect(try await !world.a.user(first.id).emailVerified)
                await #expect(throws: IdentityError.emailTaken) { try await world.a.signUp(Self.address) }
                // And a lesser proof of it does not open the account, nor a further claim.
                await #expect(throws: IdentityError.emailNeedsLinking) { try await squatter(on: world.a, "3") }
            }
        }

        @Test func `with a first password the address is as good as one of a sign-up, if nobody has it`() async throws {
            try await World.run { world in
                let (first, second) = (try await squatter(on: world.a, "1"), try await squatter(on: world.a, "2"))
                for member in [first, second] {
                    try await world.a.run {
                        try await $0.accounts.changePassword(
                            of: member.id, in: member.sessionID, from: nil, to: SecretString(Self.new), caller: Copy.caller)
                    }
                }
                #expect(try await world.a.signIn(Self.address, password: Self.new).id == first.id)
                #expect(try await !world.a.user(first.id).emailClaimed)
                #expect(try await world.a.user(second.id).emailClaimed)
                // Whose mailbox it is takes it back.
                let code = try #require(await world.a.resetCode(Self.address))
                try await world.a.resetPassword(code, to: Copy.password)
                #expect(try await world.a.signIn(Self.address).user.emailVerified)
                #expect(try await world.a.identities(of: first.id).isEmpty)
            }
        }

        @Test func `who claims an address has no part in what is known of its owner`() async throws {
            try await World.run { world in
                let owner = try await world.a.signUp(Self.address)
                #expect(owner.user.account == Self.address)
                let other = User(
                    id: Sample.userID, email: owner.user.email, createdAt: Sample.now, updatedAt: Sample.now, emailClaimed: true)
                #expect(other.account != Self.address)
            }
        }
    }
}
