import Synchronization

/// What `body` gives, or nil when that takes longer than `patience`.
///
/// It is not waited for any longer then: a thread that hangs inside a library cannot be called back.
func within<Value: Sendable>(_ patience: Duration, _ body: @escaping @Sendable () async -> Value) async -> Value? {
    await withCheckedContinuation { continuation in
        let waiter = Waiter(continuation)
        let timer = Task {
            try? await Task.sleep(for: patience)
            waiter.resume(with: nil)
        }
        Task {
            waiter.resume(with: await body())
            timer.cancel()
        }
    }
}

/// Resumes once, whoever comes first.
private final class Waiter<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value?, Never>?>

    init(_ continuation: CheckedContinuation<Value?, Never>) {
        self.continuation = Mutex(continuation)
    }

    func resume(with value: Value?) {
        let first = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        first?.resume(returning: value)
    }
}
