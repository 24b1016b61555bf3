import Networking
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Guessing passwords, and what it does to the one whose account it is.
    @Suite struct SignInLimitTests {
        private static let hour = Duration.seconds(3600)

        @Test func `of five hundred guesses at once, at two copies, no more pass than the budget`() async throws {
            let limits = LimitSettings.only((.signInAccount, Budget(20, per: Self.hour)))
            try await World.run({
                $0.copies = 2
                $0.hashQueue = 1000
                $0.limits = limits
            }) { world in
                _ = try await world.a.signUp()
                let copies = world.copies
                let attempts = try await withThrowingTaskGroup(of: Copy.Attempt.self) { group in
                    for number in 0..<500 {
                        group.addTask {
                            try await copies[number % 2].attempt(
                                .email(Copy.email), password: "guess \(number)", from: "198.51.100.\(number % 250)")
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(attempts.count { $0 == .refused } == 20)
                #expect(attempts.count { $0 == .limited } == 480)
            }
        }

        @Test func `however the account is written, it has one count`() async throws {
            let limits = LimitSettings.only((.signInAccount, Budget(4, per: Self.hour)))
            try await World.run({ $0.limits = limits }) { world in
                let request = Accounts.SignUp(
                    email: Copy.email, password: SecretString(Copy.password), displayName: nil)
                _ = try await world.a.run { parts in
                    try await parts.accounts.register(
                        request, username: try Username("anna"), client: parts.app, caller: Copy.caller)
                }
                let names: [SignInAttempt.Name] = [
                    .email("Anna@Town.example"), .email("anna@TOWN.example"), .username("ANNA"),
                    .email("anna@\u{FF34}own.example"),
                ]
                for (number, name) in names.enumerated() {
                    let attempt = try await world.a.attempt(name, password: "wrong", from: "198.51.100.\(number)")
                    #expect(attempt == .refused, "\(name)")
                }
                for name in names {
                    #expect(try await world.a.attempt(name, password: "wrong", from: "203.0.113.1") == .limited, "\(name)")
                }
                #expect(try await world.a.attempt(.username("somebody"), password: "wrong") == .refused)
            }
        }

        @Test func `an account that is not there is counted like one that is`() async throws {
            try await World.run({ $0.limits = LimitSettings() }) { world in
                _ = try await world.a.signUp("known@town.example")
                var standings: [[LimitStanding]] = []
                for email in ["known@town.example", "unknown@town.example"] {
                    let told = Locked<[LimitStanding]>([])
                    let caller = Caller(
                        address: "203.0.113.\(standings.count)", referenceID: nil, device: DeviceDescription(""),
                        report: { standing in told.withLock { $0.append(standing) } })
                    for _ in 0..<12 {
                        _ = try? await world.a.run { parts in
                            try await parts.accounts.authenticate(
                                password: SignInAttempt(.email(email), passwords: [SecretString("wrong")]), client: parts.app,
                                caller: caller)
                        }
                    }
                    standings.append(told.value)
                }
                #expect(standings[0] == standings[1])
                #expect(standings[0].map(\.remaining) == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0])
                #expect(standings[0].allSatisfy { $0.limit == 10 })
                #expect(standings[0].last?.reset == .seconds(90))
            }
        }

        @Test func `another address of the same network is the same guesser`() async throws {
            let limits = LimitSettings.only((.signInAddress, Budget(3, per: Self.hour)))
            try await World.run({ $0.limits = limits }) { world in
                let a = world.a
                _ = try await a.signUp()
                func one(_ address: String?) async throws -> Copy.Attempt {
                    let attempt = SignInAttempt.Name.email("user-\(UInt64.random(in: .min ... .max))@town.example")
                    return try await a.attempt(attempt, password: "a wrong guess", from: address)
                }
                for address in ["2001:db8:1:2::1", "2001:db8:1:2:ffff:1:2:3", "2001:DB8:1:2::2"] {
                    #expect(try await one(address) == .refused)
                }
                #expect(try await one("2001:db8:1:2::4") == .limited)
                #expect(try await one("2001:db8:1:3::4") == .refused)
                for address in ["192.0.2.9", "::ffff:192.0.2.9", "192.0.2.9"] { #expect(try await one(address) == .refused) }
                #expect(try await one("::ffff:c000:209") == .limited)
                // What is no address is not let through, but counted as it is.
                for _ in 0..<3 { #expect(try await one("a") == .refused) }
                #expect(try await one("a") == .limited)
                for _ in 0..<3 { #expect(try await one(nil) == .refused) }
                #expect(try await one(nil) == .limited)
            }
        }

        @Test func `one address does not keep the owner out`() async throws {
            try await World.run({ $0.limits = LimitSettings() }) { world in
                _ = try await world.a.signUp()
                #expect(try await world.a.guess(40, from: "203.0.113.66") == .of((.refused, 10), (.limited, 30)))
                let owner = try await world.a.attempt(.email(Copy.email), password: Copy.password, from: "198.51.100.1")
                #expect(owner == .signedIn)
                // An hour of it changes nothing.
                for _ in 0..<4 {
                    try await world.pass(.seconds(900))
                    _ = try await world.a.guess(20, from: "203.0.113.66")
                }
                let again = try await world.a.attempt(.email(Copy.email), password: Copy.password, from: "198.51.100.2")
                #expect(again == .signedIn)
            }
        }

        @Test func `many addresses only slow strangers down, and whoever was here before passes`() async throws {
            try await World.run({ $0.limits = LimitSettings() }) { world in
                let a = world.a
                _ = try await a.signUp()
                #expect(
                    try await a.attempt(.email(Copy.email), password: Copy.password, from: "198.51.100.1", device: "phone")
                        == .signedIn)
                for number in 0..<20 { _ = try await a.guess(10, from: "203.0.113.\(number)") }
                func owner(_ address: String, _ device: String? = nil) async throws -> Copy.Attempt {
                    try await a.attempt(.email(Copy.email), password: Copy.password, from: address, device: device)
                }
                #expect(try await owner("198.51.100.77") == .limited)
                #expect(try await owner("198.51.100.77", "another phone") == .limited)
                // Where the owner signed up, where the phone was, and the phone wherever it is.
                #expect(try await owner("192.0.2.7") == .signedIn)
                #expect(try await owner("198.51.100.1") == .signedIn)
                #expect(try await owner("198.51.100.78", "phone") == .signedIn)
                // The phone is known at this account only.
                _ = try await a.signUp("other@town.example")
                for number in 0..<20 { _ = try await a.guess(10, at: "other@town.example", from: "203.0.113.\(number)") }
                #expect(
                    try await a.attempt(
                        .email("other@town.example"), password: Copy.password, from: "198.51.100.79", device: "phone") == .limited
                )
                // And strangers are only slowed down: 50 an hour are one in 72 seconds.
                try await world.pass(.seconds(72))
                #expect(try await owner("198.51.100.77") == .signedIn)
            }
        }

        @Test func `a known device has a budget too`() async throws {
            try await World.run({ $0.limits = LimitSettings() }) { world in
                _ = try await world.a.signUp()
                _ = try await world.a.attempt(.email(Copy.email), password: Copy.password, device: "phone")
                #expect(try await world.a.guess(11, from: "198.51.100.1", device: "phone") == .of((.refused, 10), (.limited, 1)))
                // Somebody else behind the same address has not used it up.
                #expect(try await world.a.guess(1, from: "198.51.100.1") == [.refused])
            }
        }

        @Test func `a success gives back its own attempt and no other`() async throws {
            let limits = LimitSettings.only((.signInAccountAddress, Budget(3, per: Self.hour)))
            try await World.run({ $0.limits = limits }) { world in
                _ = try await world.a.signUp()
                #expect(try await world.a.guess(2) == [.refused, .refused])
                for _ in 0..<5 {
                    #expect(try await world.a.attempt(.email(Copy.email), password: Copy.password) == .signedIn)
                }
                #expect(try await world.a.guess(2) == [.refused, .limited])
                #expect(try await world.a.attempt(.email(Copy.email), password: Copy.password) == .limited)
            }
        }

        @Test func `what was our fault does not count`() async throws {
            let limits = LimitSettings.only((.signInAccount, Budget(2, per: Self.hour)))
            try await World.run({
                $0.hashQueue = 1
                $0.limits = limits
            }) { world in
                _ = try await world.a.signUp()
                let held = try await HeldHashing(world.a)
                let waiting = Task { [a = world.a] in try await a.guess(1, from: "198.51.100.1") }
                try await eventually { world.a.hashing.waitingCount == 1 }
                for _ in 0..<5 {
                    await #expect(throws: IdentityError.self) { try await world.a.guess(1, from: "198.51.100.2") }
                }
                try await held.release()
                #expect(try await waiting.value == [.refused])
                #expect(try await world.a.guess(2, from: "198.51.100.3") == [.refused, .limited])
            }
        }

        @Test func `without limits nothing is asked, and they can be changed while it runs`() async throws {
            try await World.run { world in
                let a = world.a
                _ = try await a.signUp()
                #expect(try await a.guess(3) == .of((.refused, 3)))
                #expect(try await a.keyspace().keys("limit:").isEmpty)
                await a.run { $0.limits.value = .only((.signInAddress, Budget(1, per: Self.hour))) }
                #expect(try await a.guess(2) == [.refused, .limited])
                await a.run { $0.limits.value.isEnforced = false }
                #expect(try await a.guess(1) == [.refused])
            }
        }

        @Test func `keys live no longer than their budget and tell nobody's name`() async throws {
            try await World.run({ $0.limits = LimitSettings() }) { world in
                _ = try await world.a.signUp()
                _ = try await world.a.attempt(.email(Copy.email), password: Copy.password, device: "my-phone")
                _ = try await world.a.guess(1, device: "my-phone")
                _ = try await world.a.guess(1, from: "198.51.100.1")
                let items = try await world.a.keyspace().items.filter { $0.key.hasPrefix("limit:") }
                #expect(items.count >= 6)
                for item in items {
                    let text = (item.key + item.text).lowercased()
                    for secret in ["anna", "town", "192.0.2", "198.51", "my-phone", "wrong"] { #expect(!text.contains(secret)) }
                    let bucket = LimitBucket.allCases.first { item.key.hasPrefix("limit:\($0.name):") }
                    let period = bucket.flatMap { LimitSettings()[$0]?.period } ?? .seconds(90 * 86_400)
                    #expect(bucket != nil || item.key.hasPrefix("limit:known:"))
                    #expect(item.life > 0 && item.life <= period.wholeMilliseconds, "\(item.key)")
                }
            }
        }

        @Test func `only so many devices are known, and only for so long`() async throws {
            var limits = LimitSettings.only((.signInAccount, Budget(1, per: Self.hour)))
            limits.knownDevices = 2
            limits.knownDeviceLifetime = .seconds(86_400)
            try await World.run({ $0.limits = limits }) { [limits] world in
                let a = world.a
                _ = try await a.signUp()
                for number in 1...3 {
                    try await world.pass(.milliseconds(1))
                    #expect(
                        try await a.attempt(.email(Copy.email), password: Copy.password, from: "198.51.100.\(number)")
                            == .signedIn)
                }
                #expect(try await a.guess(2, from: "203.0.113.1") == [.refused, .limited])
                #expect(try await a.guess(1, from: "198.51.100.3") == [.refused])
                #expect(try await a.guess(1, from: "198.51.100.2") == [.refused])
                #expect(try await a.guess(1, from: "198.51.100.1") == [.limited])
                #expect(try await a.guess(1, from: "192.0.2.7") == [.limited])
                try await world.pass(limits.knownDeviceLifetime)
                #expect(try await a.guess(2, from: "203.0.113.1") == [.refused, .limited])
                #expect(try await a.guess(1, from: "198.51.100.3") == [.limited])
            }
        }

        @Test func `a new password forgets who was known`() async throws {
            let limits = LimitSettings.only((.signInAccount, Budget(1, per: Self.hour)))
            try await World.run({ $0.limits = limits }) { world in
                let member = try await world.a.signUp()
                try await world.a.run { parts in
                    try await parts.accounts.changePassword(
                        of: member.id, in: member.sessionID, from: SecretString(Copy.password),
                        to: SecretString("another long password"), caller: Copy.caller)
                }
                #expect(try await world.a.guess(2) == [.refused, .limited])
            }
        }

        @Test func `the old password cannot be guessed from within a session`() async throws {
            try await World.run({ $0.limits = LimitSettings() }) { world in
                let member = try await world.a.signUp()
                func change(_ old: String) async throws {
                    try await world.a.run { parts in
                        try await parts.accounts.changePassword(
                            of: member.id, in: member.sessionID, from: SecretString(old),
                            to: SecretString("another long password"), caller: Copy.caller)
                    }
                }
                for _ in 0..<10 { await #expect(throws: IdentityError.invalidCredentials) { try await change("wrong") } }
                await #expect(throws: IdentityError.tooManyRequests(retryAfter: .seconds(90))) { try await change(Copy.password) }
                // Which keeps nobody from signing in.
                #expect(try await world.a.attempt(.email(Copy.email), password: Copy.password) == .signedIn)
            }
        }

        @Test func `a flood is counted, and put on record once`() async throws {
            let limits = LimitSettings.only((.signInAccountAddress, Budget(1, per: Self.hour)))
            try await World.run({ $0.limits = limits }) { world in
                let member = try await world.a.signUp()
                #expect(try await world.a.guess(51) == .of((.refused, 1), (.limited, 50)))
                #expect(await world.a.run { $0.metrics.snapshot.limited } == [.signInAccountAddress: 50])
                // Written after all that came before it.
                try await world.a.run { try await $0.accounts.disable(member.id, caller: Copy.caller) }
                _ = try await world.a.events("user_disabled")
                let events = try await world.a.recordedEvents().filter { $0.kind == "limit_reached" }
                #expect(events.map(\.reason) == ["sign_in:account_address"])
                #expect(events.map(\.outcome) == ["refused"])
                #expect(events.map(\.address) == ["192.0.2.7"])
            }
        }

        @Test func `without Redis nothing is allowed`() async throws {
            try await World.run({ $0.limits = .only((.signInAccount, Budget(1, per: Self.hour))) }) { world in
                _ = try await world.a.signUp()
                world.redis.stop()
                for _ in 0..<3 {
                    await #expect(throws: IdentityError.unavailable(retryAfter: .seconds(1))) { try await world.a.guess(1) }
                }
            }
        }
    }
}
