import Networking
import Testing
import Text

@testable import Identity

/// An address is asked about by having a mail sent to it, and nobody learns from the time whether it is known.
@Suite struct AnswerPaceTests {
    @Test(
        arguments: [
            (0, 100_000_000), (1, 99_999_999), (2_500_000, 97_500_000), (99_999_999, 1), (100_000_000, 0),
            (100_000_001, 99_999_999),
            (730_000_000, 70_000_000),
        ])
    func `an answer leaves at a whole period after the question`(elapsed: Int64, rest: Int64) {
        #expect(AnswerPace(.milliseconds(100)).rest(after: .nanoseconds(elapsed)) == .nanoseconds(rest))
    }

    @Test func `without a period it leaves at once`() {
        #expect(AnswerPace(.zero).rest(after: .zero) == .zero)
        #expect(AnswerPace(.zero).rest(after: .seconds(3)) == .zero)
    }
}

extension WithStores {
    @Suite struct PacedMailTests {
        /// Far more than asking takes, or the answer would not be the first to show it.
        private static let period = Duration.milliseconds(400)

        private func isPaced(_ email: String, on copy: Copy, resets: Bool) async throws -> Bool {
            let start = Instant.now()
            try await copy.run { parts in
                if resets {
                    try await parts.confirmations.requestPasswordReset(
                        email: email, language: .english, link: .withProfile { $1 }, caller: Copy.caller)
                } else {
                    try await parts.confirmations.requestVerification(
                        email: email, language: .english, link: .withProfile { $1 }, caller: Copy.caller)
                }
            }
            // The loop's clock is read once a turn: an answer may be a little early, and is never without its rest.
            return Instant.now().since(start) > Self.period * 3 / 4
        }

        @Test(arguments: [false, true])
        func `known or not, an address is answered no sooner`(resets: Bool) async throws {
            try await World.run({ $0.pace = AnswerPace(Self.period) }) { world in
                _ = try await world.a.signUp()
                #expect(try await isPaced(Copy.email, on: world.a, resets: resets))
                #expect(try await isPaced("nobody@town.example", on: world.a, resets: resets))
                // Beyond what a mailbox is given, too.
                for _ in 0..<MailOutbox.limitOfAsked {
                    #expect(try await isPaced(Copy.email, on: world.a, resets: resets))
                }
            }
        }
    }
}
