import Testing
import Text

@testable import Identity

extension WithStores {
    /// Sign-ins by a short code from a mail.
    @Suite struct SignInCodeTests {
        @Test func `a code that is given back signs in, and is good for no longer than it was`() async throws {
            try await World.run { world in
                let (copy, address) = (world.a, "berta@gmail.com")
                _ = try await copy.signIn(.google("berta", email: address))
                let place = try await copy.run {
                    try await $0.confirmations.requestSignInCode(email: address, caller: Copy.caller)
                }
                let code = try await copy.code(.signInCode, to: address)
                try await copy.age(by: .seconds(540))
                for _ in 1...2 {
                    try await copy.run {
                        let signIn = try await $0.confirmations.signIn(
                            code: code, in: place, client: $0.app, caller: Copy.caller)
                        await $0.confirmations.giveBack(signIn)
                    }
                    let lives = try await copy.keyspace().items.filter { $0.key.hasPrefix("code:typed:") }.map(\.life)
                    #expect(lives.count == 1 && lives.allSatisfy { (1...60_000).contains($0) }, "\(lives)")
                }
            }
        }
    }
}
