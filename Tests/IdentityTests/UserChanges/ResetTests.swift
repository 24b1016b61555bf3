import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// A reset by mail proves the mailbox: what it does to what opened the account before.
    @Suite struct ResetTests {
        private static let new = "staple battery horse correct"

        @Test func `a reset of an account whose address was never proved leaves nobody else a way in`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let (a, b) = (world.a, world.b)
                let hijacker = try await a.signUp("anna@gmail.com")
                try await a.link(.apple("mallory", email: "mallory@town.example"), to: hijacker)
                let second = try await b.signIn(.apple("mallory", email: nil)).member
                let verification = try await b.verificationCode(of: hijacker.user)
                let code = try #require(await b.resetCode("anna@gmail.com"))
                try await b.resetPassword(code, to: Self.new)

                let owner = try await a.signIn("anna@gmail.com", password: Self.new)
                #expect(owner.id == hijacker.id && owner.user.emailVerified)
                #expect(try await a.identities(of: owner.id).isEmpty)
                let lost = [hijacker.accessToken, hijacker.refreshToken, second.accessToken, second.refreshToken]
                #expect(try await a.active(lost) == [false, false, false, false])
                #expect(try await a.signIn(.apple("mallory", email: "mallory@town.example")).member.id != owner.id)
                await #expect(throws: IdentityError.invalidCode) { try await a.verify(verification) }
                // The owner's new password outlasts a sign-in with a provider.
                #expect(try await b.signIn(.google()).member.id == owner.id)
                #expect(try await a.signIn("anna@gmail.com", password: Self.new).id == owner.id)
                #expect(try await a.events("account_reclaimed").map(\.userID) == [owner.id.description])
            }
        }

        @Test func `a reset of an account whose address was proved keeps its identities`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp("anna@gmail.com")
                try await world.a.verifyEmail(of: member.id)
                try await world.a.link(.apple("mine", email: "x@privaterelay.appleid.com"), to: member)
                let code = try #require(await world.a.resetCode("anna@gmail.com"))
                try await world.a.resetPassword(code, to: Self.new)
                #expect(try await world.a.signIn(.apple("mine", email: nil)).member.id == member.id)
                #expect(try await !world.a.isActive(member.accessToken))
            }
        }

        @Test func `what was linked before the address was confirmed goes with a reset`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp("anna@gmail.com")
                try await world.a.link(.apple("mallory", email: "mallory@town.example"), to: member)
                world.clock.advance(by: .seconds(1))
                try await world.a.verify(try await world.a.verificationCode(of: member.user))
                world.clock.advance(by: .seconds(1))
                try await world.a.link(.google(), to: member)
                let code = try #require(await world.a.resetCode("anna@gmail.com"))
                try await world.a.resetPassword(code, to: Self.new)
                #expect(try await world.a.identities(of: member.id).map(\.provider) == [.google])
                let mail = try #require(try await world.a.mails(to: "anna@gmail.com").last { $0.kind == .passwordChanged })
                #expect(mail.detail == "google")
            }
        }

        @Test func `what was linked before an administrator vouched for the address goes with a reset`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp("anna@gmail.com")
                try await world.a.link(.apple("mallory", email: "mallory@town.example"), to: member)
                world.clock.advance(by: .seconds(1))
                try await world.a.run { try await $0.administration.vouch(forAddressOf: member.id) }
                #expect(try await world.a.user(member.id).emailVerified)
                #expect(try await world.a.identities(of: member.id).count == 1)
                world.clock.advance(by: .seconds(1))
                // Once more changes nothing, nor what was linked since.
                try await world.a.link(.google(), to: member)
                world.clock.advance(by: .seconds(1))
                try await world.a.run { try await $0.administration.vouch(forAddressOf: member.id) }
                let code = try #require(await world.a.resetCode("anna@gmail.com"))
                try await world.a.resetPassword(code, to: Self.new)
                #expect(try await world.a.identities(of: member.id).map(\.provider) == [.google])
            }
        }

        @Test func `strangers who ask for one kind of mail keep nobody from another`() async throws {
            try await World.run({ $0.limits = LimitSettings() }) { world in
                _ = try await world.a.signUp("anna@gmail.com")
                for _ in 0..<7 {
                    try await world.a.run { parts in
                        try await parts.confirmations.requestVerification(
                            email: "anna@gmail.com", language: .english, link: .withCode { $0 }, caller: Copy.caller)
                    }
                }
                #expect(try await world.a.resetCode("anna@gmail.com") != nil)
            }
        }

        @Test func `whoever has no password gets a first one by mail`() async throws {
            try await World.run { world in
                let member = try await world.a.signIn(.google()).member
                let code = try #require(await world.a.resetCode("anna@gmail.com"))
                try await world.a.resetPassword(code, to: Self.new)
                #expect(try await world.a.signIn("anna@gmail.com", password: Self.new).id == member.id)
                #expect(try await world.a.signIn(.google()).member.id == member.id)
                #expect(try await !world.a.isActive(member.accessToken))
            }
        }

        @Test func `of twenty uses of a code at once one wins`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let member = try await world.a.signUp()
                let code = try #require(await world.a.resetCode())
                let copies = world.copies
                let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
                    for number in 0..<20 {
                        group.addTask {
                            do {
                                try await copies[number % 2].resetPassword(code, to: "\(Self.new) \(number)")
                                return number
                            } catch IdentityError.code(.invalid) {
                                return nil
                            }
                        }
                    }
                    return try await group.reduce(into: []) { if let number = $1 { $0.append(number) } }
                }
                #expect(winners.count == 1)
                let winner = try #require(winners.first)
                #expect(try await world.a.signIn(password: "\(Self.new) \(winner)").id == member.id)
            }
        }

        @Test func `codes of a disabled user prove nothing`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let before = try await world.a.verificationCode(of: member.user)
                try await world.a.run { try await $0.accounts.disable(member.id, caller: Copy.caller) }
                let after = try await world.a.verificationCode(of: member.user)
                for code in [before, after] {
                    await #expect(throws: IdentityError.invalidCode) { try await world.a.verify(code) }
                }
                #expect(try await !world.a.user(member.id).emailVerified)
                #expect(try await world.a.resetCode() == nil)
            }
        }
    }
}
