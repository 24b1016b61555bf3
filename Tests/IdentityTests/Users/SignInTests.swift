import Crypto
import Networking
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    @Suite struct SignInTests {
        /// An address and a password that do not sign anybody in, and why not.
        struct Refusal: Sendable, CustomTestStringConvertible {
            let email: String
            let password: String
            let reason: AuditKind.SignInFailure

            var testDescription: String { reason.rawValue }
        }

        private static let refusals = [
            Refusal(email: "nobody@town.example", password: Copy.password, reason: .unknownUser),
            Refusal(email: Copy.email, password: "battery horse staple correct", reason: .wrongPassword),
            Refusal(email: "disabled@town.example", password: Copy.password, reason: .disabledUser),
            Refusal(email: "federated@town.example", password: Copy.password, reason: .noPassword),
        ]

        /// One user of every kind.
        private func populate(_ copy: Copy) async throws {
            _ = try await copy.signUp()
            let disabled = try await copy.signUp("disabled@town.example")
            try await copy.run { parts in
                try await parts.accounts.disable(disabled.id, caller: Copy.caller)
                let federated = User(
                    id: UserID(at: Sample.now, random: SecureRandom.bytes(10)), email: try EmailAddress("federated@town.example"),
                    createdAt: Sample.now, updatedAt: Sample.now)
                _ = try await parts.users.insert(federated, passwordHash: nil)
            }
        }

        @Test(arguments: ["Anna@Town.example", "anna@town.example", "ANNA@TOWN.EXAMPLE"])
        func `the right password signs in, in whatever letter case the address is`(email: String) async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                world.clock.advance(by: .seconds(60))
                let again = try await world.a.signIn(email)
                #expect(again.id == member.id)
                #expect(again.sessionID != member.sessionID)
                #expect(try await world.a.active([member.accessToken, again.accessToken]) == [true, true])
                let user = try await world.a.run { try await $0.accounts.user(member.id) }
                #expect(user.lastSignInAt == Sample.now.adding(.seconds(60)))
                let events = try await world.a.events("user_signed_in")
                #expect(events.map(\.sessionID) == [again.sessionID.text])
                #expect(events.map(\.actor) == ["user:\(member.id)"])
                #expect(await world.a.run { $0.metrics.snapshot.signIns } == [.succeeded: 1])
            }
        }

        @Test(arguments: refusals)
        func `whatever is wrong, the answer is the same, after the same work`(refusal: Refusal) async throws {
            try await World.run { world in
                try await populate(world.a)
                let before = try await world.a.keyspace().items.map(\.key).sorted()
                let copy = world.a
                let held = try await HeldHashing(copy)
                let answer = Task { try await copy.signIn(refusal.email, password: refusal.password) }
                try await eventually { copy.hashing.waitingCount == 1 }
                try await held.release()
                await #expect(throws: IdentityError.invalidCredentials) { try await answer.value }
                let events = try await world.a.events("sign_in_failed")
                #expect(events.map(\.reason) == [refusal.reason.rawValue])
                #expect(events.map(\.actor) == ["anonymous"])
                #expect(events.allSatisfy { ($0.userID == nil) == (refusal.reason == .unknownUser) })
                #expect(try await world.a.keyspace().items.map(\.key).sorted() == before)
                #expect(await world.a.run { $0.metrics.snapshot.signIns } == [.refused: 1])
            }
        }

        /// What can be no address or no password.
        struct Nonsense: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let email: String
            let password: String
            let field: InputProblem.Field
        }

        private static let nonsense = [
            Nonsense(testDescription: "no address", email: "x", password: Copy.password, field: .email),
            Nonsense(testDescription: "NUL", email: Copy.email, password: "correct\0horse", field: .password),
            Nonsense(
                testDescription: "too long", email: Copy.email, password: String(repeating: "a", count: 1025), field: .password),
        ]

        @Test(arguments: nonsense)
        func `what can be no address or no password is refused before anybody is looked up`(nonsense: Nonsense) async throws {
            try await World.run { world in
                _ = try await world.a.signUp()
                let held = try await HeldHashing(world.a)
                do {
                    _ = try await world.a.signIn(nonsense.email, password: nonsense.password)
                    Issue.record("that passed")
                } catch IdentityError.user(.invalidInput(let problems)) {
                    #expect(problems.map(\.field) == [nonsense.field])
                }
                try await held.release()
            }
        }

        @Test func `the whole password counts`() async throws {
            try await World.run { world in
                let long = String(repeating: "ab c", count: 256)
                _ = try await world.a.signUp(password: long)
                _ = try await world.a.signIn(password: long)
                for wrong in [String(long.dropLast()), String(long.prefix(72)), long.uppercased()] {
                    await #expect(throws: IdentityError.invalidCredentials) { try await world.a.signIn(password: wrong) }
                }
                // The same from a keyboard that composes, and from one that does not.
                _ = try await world.a.signUp("berta@town.example", password: "gr\u{FC}n ist die Heide")
                _ = try await world.a.signIn("berta@town.example", password: "gru\u{308}n ist die Heide")
            }
        }

        @Test func `when too many passwords wait to be hashed, the answer is overload at once`() async throws {
            try await World.run({ $0.hashQueue = 2 }) { world in
                _ = try await world.a.signUp()
                let copy = world.a
                let held = try await HeldHashing(copy)
                async let first = copy.signIn()
                async let second = copy.signIn()
                try await eventually { copy.hashing.waitingCount == 2 }
                await #expect(throws: IdentityError.overloaded(retryAfter: .seconds(1))) { try await copy.signIn() }
                await #expect(throws: IdentityError.overloaded(retryAfter: .seconds(1))) {
                    try await copy.signUp("berta@town.example")
                }
                try await held.release()
                _ = try await (first, second)
                #expect(await copy.run { $0.metrics.snapshot.signIns } == [.succeeded: 2, .unavailable: 1])
                #expect(try await copy.userCount() == 1)
            }
        }

        @Test func `a hash of other parameters is replaced at the next sign-in`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let costly = try Argon2id(parameters: Argon2id.Parameters(memoryKiB: 16, iterations: 2))
                let old = try costly.hash(password: Array(Copy.password.utf8))
                func stored() async throws -> String? {
                    try await world.a.run { parts in
                        try await parts.users.credentials(of: try EmailAddress(Copy.email))?.passwordHash
                    }
                }
                let first = try #require(try await stored())
                try await world.a.run { try await $0.users.rehashPassword(of: member.id, from: first, to: old) }
                // As somebody who replaced the hash meanwhile would find it.
                try await world.a.run { try await $0.users.rehashPassword(of: member.id, from: first, to: "never") }
                #expect(try await stored() == old)
                _ = try await world.a.signIn()
                let new = try #require(try await stored())
                #expect(new != old && new.contains("m=8,t=1,p=1"))
                // It is the same password: nobody is signed out.
                #expect(try await world.a.isActive(member.accessToken))
            }
        }

        /// Of "U*U", as crypt_blowfish's own tests have it.
        private static let bcrypt = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"

        /// Somebody whom an operator has written into the table, with a hash of another server.
        private func bringAlong(_ hash: String, _ copy: Copy, as email: String = "mongo@town.example") async throws {
            try await copy.run { parts in
                let user = User(
                    id: UserID(at: Sample.now, random: SecureRandom.bytes(10)), email: try EmailAddress(email),
                    createdAt: Sample.now, updatedAt: Sample.now)
                _ = try await parts.users.insert(user, passwordHash: hash)
            }
        }

        @Test func `a user with a bcrypt hash signs in, and has an argon2id hash from then on`() async throws {
            try await World.run { world in
                try await bringAlong(Self.bcrypt, world.a)
                for wrong in ["U*U*", "u*u", "U*U" + String(repeating: "x", count: 100)] {
                    await #expect(throws: IdentityError.invalidCredentials) {
                        try await world.a.signIn("mongo@town.example", password: wrong)
                    }
                }
                func stored() async throws -> String? {
                    try await world.a.run { parts in
                        try await parts.users.credentials(of: try EmailAddress("mongo@town.example"))?.passwordHash
                    }
                }
                #expect(try await stored() == Self.bcrypt)
                for _ in 0..<2 {
                    _ = try await world.a.signIn("mongo@town.example", password: "U*U")
                    #expect(try await stored()?.hasPrefix("$argon2id$") == true)
                }
            }
        }

        @Test func `the highest cost of a bcrypt hash is known as long as there is one`() async throws {
            try await World.run { world in
                func cost() async throws -> Int? {
                    try await world.a.run { try await $0.users.importedHashes(within: ForeignHash.Limits()).highest[.bcrypt] }
                }
                _ = try await world.a.signUp()
                #expect(try await cost() == nil)
                try await bringAlong(Self.bcrypt, world.a)
                #expect(try await cost() == 5)
                try await bringAlong(Self.bcrypt.replacing("$05$", with: "$12$"), world.a, as: "other@town.example")
                try await bringAlong(Self.bcrypt.replacing("$05$", with: "$31$"), world.a, as: "no.such.cost@town.example")
                #expect(try await cost() == 12)
                try await world.a.run { parts in
                    let other = try await parts.users.credentials(of: try EmailAddress("other@town.example"))
                    try await parts.accounts.delete(try #require(other).user.id, caller: Copy.caller)
                }
                await #expect(throws: IdentityError.invalidCredentials) { try await world.a.signIn(password: "wrong") }
                _ = try await world.a.signIn("mongo@town.example", password: "U*U")
                #expect(try await cost() == nil)
            }
        }

        @Test func `who overloads makes room for others, and others have their turn`() async throws {
            try await World.run({ $0.hashQueue = 6 }) { world in
                let copy = world.a
                let held = try await HeldHashing(copy)
                func guess(_ number: Int, from address: String) async throws -> Copy.Attempt {
                    do {
                        return try await copy.attempt(.email("\(number)@town.example"), password: "wrong", from: address)
                    } catch IdentityError.service(.overloaded) {
                        return .failed
                    }
                }
                let done = Locked<[String]>([])
                let attempts = try await withThrowingTaskGroup(of: (String, Copy.Attempt).self) { group in
                    for (address, count) in [("198.51.100.1", 20), ("2001:db8:1:2::3", 3)] {
                        for number in 0..<count {
                            group.addTask {
                                let attempt = try await guess(number, from: address)
                                done.withLock { $0.append(address) }
                                return (address, attempt)
                            }
                        }
                        // The first address fills the queue; the second gets its places all the same.
                        let refused = address == "198.51.100.1" ? 14 : 17
                        try await eventually { done.value.count == refused }
                    }
                    #expect(copy.hashing.waitingCount == 6)
                    try await held.release()
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(attempts.count { $0 == ("198.51.100.1", .failed) } == 17)
                #expect(attempts.count { $0 == ("198.51.100.1", .refused) } == 3)
                #expect(attempts.count { $0 == ("2001:db8:1:2::3", .refused) } == 3)
            }
        }

        @Test func `a bcrypt hash that asks for too much opens nothing`() async throws {
            try await World.run { world in
                try await bringAlong(Self.bcrypt.replacing("$05$", with: "$31$"), world.a)
                await #expect(throws: IdentityError.invalidCredentials) {
                    try await world.a.signIn("mongo@town.example", password: "U*U")
                }
            }
        }
    }
}
