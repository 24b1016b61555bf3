import Testing
import Text

@testable import Identity

/// Who tries one password at many accounts is noticed.
@Suite struct SprayWatchTests {
    private let now = Sample.now

    @Test func `an address that fails at many accounts is told of once in a window`() {
        let watch = SprayWatch()
        let told = (0..<40).map { watch.failed(at: "user\($0)", from: "192.0.2.1", most: 20, at: now) }
        #expect(told.indices.filter { told[$0] } == [20])
        let later = now.adding(SprayWatch.window)
        let again = (0..<40).map { watch.failed(at: "user\($0)", from: "192.0.2.1", most: 20, at: later) }
        #expect(again.indices.filter { again[$0] } == [20])
    }

    @Test func `one account many times, many addresses, and a slow one are none`() {
        let watch = SprayWatch()
        for number in 0..<100 {
            #expect(!watch.failed(at: "user", from: "192.0.2.1", most: 20, at: now))
            #expect(!watch.failed(at: "user\(number)", from: "network\(number)", most: 20, at: now))
            let slow = now.adding(.seconds(Int64(number) * 31))
            #expect(!watch.failed(at: "user\(number)", from: "192.0.2.2", most: 20, at: slow))
            #expect(!watch.failed(at: "user\(number)", from: "192.0.2.3", most: 0, at: now))
        }
    }

    @Test func `however many addresses there are, memory is bounded`() {
        let watch = SprayWatch()
        for number in 0...(2 * SprayWatch.capacity) {
            #expect(!watch.failed(at: "user", from: "network\(number)", most: 1, at: now))
        }
        // Begun anew, and noticed all the same.
        _ = watch.failed(at: "a", from: "192.0.2.1", most: 1, at: now)
        #expect(watch.failed(at: "b", from: "192.0.2.1", most: 1, at: now))
    }
}

extension WithStores {
    @Suite struct SprayRecordTests {
        @Test func `a sprayer is counted and put on record with the address`() async throws {
            try await World.run({ $0.limits.sprayAccounts = 3 }) { world in
                for number in 1...6 {
                    await #expect(throws: IdentityError.invalidCredentials) {
                        try await world.a.run { parts in
                            let attempt = SignInAttempt(
                                .email("user\(number)@town.example"), passwords: [SecretString("Spring2026 lanterns")])
                            _ = try await parts.accounts.authenticate(
                                password: attempt, client: parts.app, caller: Copy.caller)
                        }
                    }
                }
                #expect(await world.a.run { $0.metrics.snapshot.sprays } == 1)
                let event = try #require(try await world.a.events("sign_ins_sprayed").first)
                #expect(event.address == Copy.caller.address)
            }
        }
    }
}
