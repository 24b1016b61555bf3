import Glibc
import TestSupport
import Testing

@testable import Networking

@Suite("SignalSource", .timeLimit(.minutes(5)))
struct SignalSourceTests {
    @Test func `a signal calls the handler and does not end the process`() async throws {
        let count = Locked(0)
        // No signal may come too early for it.
        let source = SignalSource(SIGUSR2) { count.withLock { $0 += 1 } }
        for expected in 1...100 {
            kill(getpid(), SIGUSR2)
            while count.value < expected { try await Task.sleep(for: .milliseconds(1)) }
        }
        source.cancel()
    }
}
