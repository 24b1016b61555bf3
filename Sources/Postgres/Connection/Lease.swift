import Networking

/// The exclusive use of a connection by one transaction. Confined to its pool.
final class Lease {
    let id: Int
    let isolation: IsolationLevel
    /// Whether `BEGIN` has been sent.
    var hasBegun = false
    /// Whether a statement failed because another transaction was in the way.
    var sawConflict = false

    init(id: Int, isolation: IsolationLevel) {
        self.id = id
        self.isolation = isolation
    }
}

/// A transaction that waits for a connection of its own. Confined to its pool.
@safe
final class LeaseRequest {
    typealias Answer = Result<Int, PostgresError>

    let lease: Lease
    let deadline: Instant
    private let continuation: UnsafeContinuation<Answer, Never>

    init(_ lease: Lease, deadline: Instant, continuation: UnsafeContinuation<Answer, Never>) {
        self.lease = lease
        self.deadline = deadline
        unsafe self.continuation = unsafe continuation
    }

    /// Answers, once: with the lease's id or with why there is none.
    func finish(_ answer: Answer) {
        unsafe continuation.resume(returning: answer)
    }
}

/// What waits for a connection.
enum Waiter {
    case query(Exchange)
    case lease(LeaseRequest)

    var deadline: Instant {
        switch self {
        case .query(let exchange): exchange.deadline
        case .lease(let request): request.deadline
        }
    }

    func fail(_ error: PostgresError) {
        switch self {
        case .query(let exchange): exchange.finish(.failure(error))
        case .lease(let request): request.finish(.failure(error))
        }
    }
}
