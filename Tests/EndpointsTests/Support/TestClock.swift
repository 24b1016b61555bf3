import TestSupport
import Text

/// A clock that stands still until a test moves it.
struct TestClock: Sendable {
    static let start = Timestamp(iso8601: "2026-01-02T03:04:05.678Z") ?? Timestamp(milliseconds: 0)

    private let current = Locked(Self.start)

    var now: Timestamp { current.value }

    func advance(by duration: Duration) {
        current.withLock { $0 = $0.adding(duration) }
    }
}
