import Synchronization

@testable import Server

/// A console that keeps what is printed.
final class Printed: Sendable {
    private let texts = Mutex((output: "", error: ""))
    private let isBroken: Bool

    /// - Parameter isBroken: whether results cannot be written.
    init(isBroken: Bool = false) {
        self.isBroken = isBroken
    }

    var console: Console {
        Console(
            output: { text in
                guard !self.isBroken else { return false }
                self.texts.withLock { $0.output += text }
                return true
            },
            error: { text in self.texts.withLock { $0.error += text } })
    }

    var output: String {
        texts.withLock(\.output)
    }

    var error: String {
        texts.withLock(\.error)
    }
}
