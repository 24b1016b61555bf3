import TestSupport
import Text

/// The wall clock of a test's world: it stands still until the test moves it, forward or back.
final class TestClock: Sendable {
    private let time = Locked(Sample.now)

    var now: Timestamp { time.value }

    func advance(by duration: Duration) {
        time.withLock { $0 = $0.adding(duration) }
    }
}
