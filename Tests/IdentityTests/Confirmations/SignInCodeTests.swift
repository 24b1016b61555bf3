import Networking
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Sign-ins by a short code from a mail.
    @Suite struct SignInCodeTests {
        private static let address = "berta@gmail.com"

        /// Has a code mailed that is good for so long.
        private func mailed(_ rest: Duration, on copy: Copy) async throws -> (code: SecretString, place: OneTimeCode) {
            _ = try await copy.signIn(.google("berta", email: Self.address))
            let place = try await copy.run {
                try await $0.confirmations.requestSignInCode(email: Self.address, caller: Copy.caller)
            }
            let code = try await copy.code(.signInCode, to: Self.address)
            try await copy.age(by: .seconds(600) - rest)
            return (code, place)
        }

        private func lives(on copy: Copy) async throws -> [Int64] {
            try await copy.keyspace().items.filter { $0.key.hasPrefix("code:typed:") }.map(\.life)
        }

        @Test func `a code that is given back signs in, and is good for no longer than it was`() async throws {
            try await World.run { world in
                let copy = world.a
                let (code, place) = try await mailed(.seconds(60), on: copy)
                for _ in 1...2 {
                    try await copy.run {
                        let signIn = try await $0.confirmations.signIn(
                            code: code, in: place, client: $0.app, caller: Copy.caller)
                        await $0.confirmations.giveBack(signIn)
                    }
                    let lives = try await lives(on: copy)
                    #expect(lives.count == 1 && lives.allSatisfy { (1...60_000).contains($0) }, "\(lives)")
                }
            }
        }

        @Test func `a code is not given back when its time has passed meanwhile`() async throws {
            try await World.run { world in
                let copy = world.a
                let (code, place) = try await mailed(.seconds(4), on: copy)
                let end = Instant.now() + .seconds(4)
                let signIn = try await copy.run {
                    try await $0.confirmations.signIn(code: code, in: place, client: $0.app, caller: Copy.caller)
                }
                try await eventually { Instant.now() > end }
                await copy.run { await $0.confirmations.giveBack(signIn) }
                #expect(try await lives(on: copy).isEmpty)
            }
        }
    }
}
