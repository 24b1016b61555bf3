package import Foundation

/// Time as a parameter, so that tests need not wait.
package struct SystemClock: Sendable {
    package let now: @Sendable () -> Date
    /// - Throws: `CancellationError`.
    package let sleep: @Sendable (TimeInterval) async throws -> Void

    package init(now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (TimeInterval) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }

    package static let real = SystemClock(
        now: { Date() }, sleep: { try await Task.sleep(nanoseconds: UInt64(max(0, $0) * 1_000_000_000)) })
}

/// A value behind a lock, for what is read from everywhere and never across an `await`. The systems that this package supports have no
/// `Mutex`.
package final class Locked<Value: Sendable>: @unchecked Sendable {  // Every access to the value holds the lock.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
