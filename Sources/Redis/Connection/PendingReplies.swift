import Networking

/// The commands in flight on a connection, in the order of their answers.
struct PendingReplies {
    typealias Outcome = Result<RedisReply, RedisError>

    @safe
    enum Receiver {
        case single(UnsafeContinuation<Outcome, Never>)
        case batch(Batch)
    }

    /// Commands sent together, whose answers are handed over together.
    @safe
    final class Batch {
        private var outcomes: [Outcome] = []
        private let count: Int
        private let continuation: UnsafeContinuation<[Outcome], Never>

        init(count: Int, continuation: UnsafeContinuation<[Outcome], Never>) {
            self.count = count
            unsafe self.continuation = unsafe continuation
        }

        fileprivate func deliver(_ outcome: Outcome) {
            outcomes.append(outcome)
            if outcomes.count == count { unsafe continuation.resume(returning: outcomes) }
        }
    }

    private struct Entry {
        let receiver: Receiver
        let deadline: Instant
    }

    private var entries: ContiguousArray<Entry> = []
    private var head = 0

    var count: Int { entries.count - head }
    /// When the oldest command is too late.
    var nextDeadline: Instant? { count > 0 ? entries[head].deadline : nil }

    mutating func append(_ receiver: Receiver, deadline: Instant) {
        entries.append(Entry(receiver: receiver, deadline: deadline))
    }

    /// Hands the oldest command its answer; false when none is in flight.
    mutating func deliver(_ outcome: Outcome) -> Bool {
        guard count > 0 else { return false }
        let receiver = entries[head].receiver
        head += 1
        if head == entries.count {
            entries.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 1024 {
            entries.removeFirst(head)
            head = 0
        }
        switch receiver {
        case .single(let continuation): unsafe continuation.resume(returning: outcome)
        case .batch(let batch): batch.deliver(outcome)
        }
        return true
    }

    mutating func failAll(_ error: RedisError) {
        while deliver(.failure(error)) {}
    }
}
