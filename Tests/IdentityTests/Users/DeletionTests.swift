import Postgres
import Redis
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// What is left of a user who is deleted: the list is in docs/operations.md.
    @Suite struct DeletionTests {
        @Test func `nothing of a deleted user is left in Redis but what says that the sessions have ended`() async throws {
            try await World.run({ $0.limits = LimitSettings() }) { world in
                let before = try await world.a.keyspace().keys("")
                let member = try await world.a.signUp()
                _ = try await world.a.attempt(
                    .email(Copy.email), password: Copy.password, device: "0123456789abcdef0123456789abcdef")
                _ = try await world.a.verificationCode(of: member.user)
                _ = try await world.a.resetCode()
                #expect(try await !world.a.keyspace().keys("code:").isEmpty)
                try await world.a.run { try await $0.accounts.delete(member.id, caller: Copy.caller) }
                let left = try await world.a.keyspace().keys("").filter { key in
                    !before.contains(key) && !key.hasPrefix("limit:") && !key.hasPrefix("session:")
                }
                #expect(left.isEmpty, "\(left)")
                #expect(try await world.a.keyspace().keys("limit:known:").isEmpty)
            }
        }

        @Test func `who signs up with an address that was somebody's has no devices of theirs`() async throws {
            let limits = LimitSettings.only(
                (.signInAccount, Budget(3, per: .seconds(3600))), (.signInKnownDevice, Budget(100, per: .seconds(3600))))
            try await World.run({ $0.limits = limits }) { world in
                let device = "0123456789abcdef0123456789abcdef"
                let first = try await world.a.signUp()
                let signedIn = try await world.a.attempt(.email(Copy.email), password: Copy.password, device: device)
                #expect(signedIn == .signedIn)
                try await world.a.run { try await $0.accounts.delete(first.id, caller: Copy.caller) }
                // The next one, from elsewhere.
                let request = Accounts.SignUp(
                    email: Copy.email, password: SecretString("another long password"), displayName: nil)
                _ = try await world.a.run { parts in
                    try await parts.accounts.signUp(
                        request, client: parts.app, caller: Copy.caller("198.51.100.7"))
                }
                let guesses = try await world.a.guess(10, device: device)
                #expect(guesses == .of((.refused, 3), (.limited, 7)))
            }
        }
    }
}
