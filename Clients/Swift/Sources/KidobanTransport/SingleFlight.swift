/// One piece of work for all who ask for it while it is under way. It does not end when somebody who waits is cancelled: the others
/// still want its result.
package actor SingleFlight<Value: Sendable, Failure: Error> {
    private var waiters: [UInt64: CheckedContinuation<Result<Value, Failure>?, Never>] = [:]
    private var lastID: UInt64 = 0
    private var isUnderWay = false

    package init() {}

    /// The result of the work, which begins unless it is under way. Nil when the caller's task was cancelled first.
    package func result(of work: @escaping @Sendable () async -> Result<Value, Failure>) async -> Result<Value, Failure>? {
        lastID += 1
        let id = lastID
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: nil) }
                waiters[id] = continuation
                guard !isUnderWay else { return }
                isUnderWay = true
                Task { self.finish(with: await work()) }
            }
        } onCancel: {
            Task { await self.abandon(id) }
        }
    }

    private func finish(with result: Result<Value, Failure>) {
        isUnderWay = false
        let waiting = waiters.values
        waiters = [:]
        for waiter in waiting { waiter.resume(returning: result) }
    }

    private func abandon(_ id: UInt64) {
        waiters.removeValue(forKey: id)?.resume(returning: nil)
    }
}
