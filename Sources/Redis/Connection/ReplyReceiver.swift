/// Who gets the answer to a command.
@safe
enum ReplyReceiver {
    typealias Outcome = Result<RedisReply, RedisError>

    case single(UnsafeContinuation<Outcome, Never>)
    case batch(Batch)

    func deliver(_ outcome: Outcome) {
        switch self {
        case .single(let continuation): unsafe continuation.resume(returning: outcome)
        case .batch(let batch): batch.deliver(outcome)
        }
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
}
