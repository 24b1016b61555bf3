import Networking
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// A new password takes its time to be hashed. What happens to the account meanwhile counts more than what permitted the change.
    @Suite struct PasswordChangeTests {
        private static let new = "staple battery horse correct"

        private func change(
            _ member: Member, from old: String?, to new: String = new, trustsSession: Bool = false, on copy: Copy
        ) async throws {
            try await copy.run { parts in
                try await parts.accounts.changePassword(
                    of: member.id, in: member.sessionID, from: old.map { SecretString($0) }, to: SecretString(new),
                    trustsSession: trustsSession, caller: Copy.caller)
            }
        }

        /// What is thrown for a change of the password; nil when it was made.
        private func refusal(
            _ member: Member, from old: String?, trustsSession: Bool = false, on copy: Copy
        ) async -> IdentityError? {
            do {
                try await change(member, from: old, trustsSession: trustsSession, on: copy)
                return nil
            } catch {
                return error as? IdentityError
            }
        }

        /// The same for a code.
        private func refusal(of code: SecretString, on copy: Copy) async -> IdentityError? {
            do {
                try await copy.run {
                    try await $0.confirmations.resetPassword(code: code, to: SecretString(Self.new), caller: Copy.caller)
                }
                return nil
            } catch {
                return error as? IdentityError
            }
        }

        /// The code of a mail for a new password.
        private func code(on copy: Copy) async throws -> SecretString {
            let code = Locked<SecretString?>(nil)
            try await copy.run { parts in
                try await parts.confirmations.requestPasswordReset(
                    email: Copy.email, language: .english,
                    link: .withCode { text in
                        code.withLock { $0 = text }
                        return text
                    }, caller: Copy.caller)
            }
            return try #require(code.value)
        }

        @Test(arguments: [false, true])
        func `one that is under way when the owner takes the account back comes too late`(trustsSession: Bool) async throws {
            try await World.run { world in
                let a = world.a
                let hijacker = try await a.signUp("anna@gmail.com")
                let held = try await HeldHashing(a)
                async let refused = refusal(hijacker, from: nil, trustsSession: trustsSession, on: a)
                try await eventually { a.hashing.waitingCount == 1 }
                let owner = try await a.signIn(.google()).member
                #expect(owner.id == hijacker.id)
                try await held.release()
                #expect(await refused == .recentSignInRequired)
                await #expect(throws: IdentityError.invalidCredentials) {
                    try await a.signIn("anna@gmail.com", password: Self.new)
                }
                #expect(try await a.isActive(owner.accessToken))
            }
        }

        @Test func `one without the old password needs a session that lives`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try await world.a.run {
                    try await $0.sessions.end(member.sessionID, of: member.id, reason: .signedOut, caller: Copy.caller)
                }
                await #expect(throws: IdentityError.invalidToken) {
                    try await change(member, from: nil, trustsSession: true, on: world.a)
                }
                _ = try await world.a.signIn()
            }
        }

        @Test func `of two with the same old password one comes too late`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let (a, b) = (world.a, world.b)
                let thief = try await a.signUp()
                let owner = try await b.signIn()
                let first = try await HeldHashing(a)
                async let refused = refusal(thief, from: Copy.password, on: a)
                try await eventually { a.hashing.waitingCount == 1 }
                // Between the check of the old password and the hash of the new one.
                async let second = HeldHashing(a)
                try await eventually { a.hashing.waitingCount == 2 }
                try await first.release()
                try await eventually { a.hashing.waitingCount == 1 }
                try await change(owner, from: Copy.password, to: "correct horse battery", on: b)
                try await second.release()
                #expect(await refused == .invalidCredentials)
                await #expect(throws: IdentityError.invalidCredentials) { try await a.signIn(password: Self.new) }
                #expect(try await a.signIn(password: "correct horse battery").id == owner.id)
                #expect(try await b.isActive(owner.accessToken))
            }
        }

        @Test func `a code of a mail is void once another password is set, if it is being used already`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let (a, b) = (world.a, world.b)
                let member = try await a.signUp()
                let code = try await code(on: a)
                let held = try await HeldHashing(a)
                async let refused = refusal(of: code, on: a)
                try await eventually { a.hashing.waitingCount == 1 }
                try await change(member, from: Copy.password, to: "correct horse battery", on: b)
                try await held.release()
                #expect(await refused == .invalidCode)
                #expect(try await a.signIn(password: "correct horse battery").id == member.id)
                #expect(try await a.isActive(member.accessToken))
            }
        }
    }
}
