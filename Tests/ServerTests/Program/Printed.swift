import Synchronization

@testable import Server

/// A console that keeps what is printed.
final class Printed: Sendable {
    private let texts = Mutex((output: "", error: ""))
    private let isBroken: Bool
    private let input: ConsoleInput

    /// - Parameter isBroken: whether results cannot be written.
    init(isBroken: Bool = false, input: ConsoleInput = .none) {
        self.isBroken = isBroken
        self.input = input
    }

    var console: Console {
        Console(
            output: { text in
                guard !self.isBroken else { return false }
                self.texts.withLock { $0.output += text }
                return true
            },
            error: { text in self.texts.withLock { $0.error += text } }, input: input)
    }

    var output: String {
        texts.withLock(\.output)
    }

    var error: String {
        texts.withLock(\.error)
    }
}
