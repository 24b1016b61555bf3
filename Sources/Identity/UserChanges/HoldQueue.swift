import Networking

/// Who may hold a user at once. A held user takes a connection to PostgreSQL while Redis answers: so there are only so many, and the others
/// of the loop find connections.
actor HoldQueue {
    /// How many wait. Beyond, the answer is `overloaded`.
    private static let waitingLimit = 64
    /// How long one waits.
    private static let patience: Duration = .seconds(5)

    private final class Waiter {
        let continuation: CheckedContinuation<Bool, Never>
        let deadline: Instant
        var alarm: LoopTimer?

        init(_ continuation: CheckedContinuation<Bool, Never>, deadline: Instant) {
            self.continuation = continuation
            self.deadline = deadline
        }
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private let limit: Int
    private var count = 0
    private var waiters: [Waiter] = []

    init(limit: Int, loop: EventLoop) {
        self.limit = limit
        self.loop = loop
    }

    /// Runs `body` when it is its turn.
    /// - Throws: `IdentityError.overloaded` when there is no turn in time; what `body` throws.
    nonisolated func waiting<T>(_ body: () async throws(IdentityError) -> T) async throws(IdentityError) -> T {
        guard await enter() else { throw .overloaded(retryAfter: .seconds(1)) }
        let value: T
        do throws(IdentityError) {
            value = try await body()
        } catch {
            await leave()
            throw error
        }
        await leave()
        return value
    }

    private func enter() async -> Bool {
        guard count >= limit else {
            count += 1
            return true
        }
        guard waiters.count < Self.waitingLimit else { return false }
        return await withCheckedContinuation { continuation in
            let waiter = Waiter(continuation, deadline: loop.now + Self.patience)
            waiters.append(waiter)
            waiter.alarm = loop.schedule(at: waiter.deadline) { [weak self] in
                self?.assumeIsolated { $0.expire() }
            }
        }
    }

    /// Turns away who has waited for too long.
    private func expire() {
        while let first = waiters.first, first.deadline <= loop.now {
            waiters.removeFirst()
            first.continuation.resume(returning: false)
        }
    }

    /// Hands the turn on.
    private func leave() {
        guard !waiters.isEmpty else {
            count -= 1
            return
        }
        let next = waiters.removeFirst()
        if let alarm = next.alarm { loop.cancel(alarm) }
        next.continuation.resume(returning: true)
    }
}
