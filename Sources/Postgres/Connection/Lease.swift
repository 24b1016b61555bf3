import Networking

/// The exclusive use of a connection by one transaction.
struct Lease {
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

/// What a transaction sees of others (PostgreSQL 15, §13.2).
package enum IsolationLevel: Sendable {
    case readCommitted
    case serializable

    var opening: StaticString {
        switch self {
        case .readCommitted: "BEGIN ISOLATION LEVEL READ COMMITTED"
        case .serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE"
        }
    }
}

/// A transaction that waits for a connection of its own. Confined to its pool.
final class LeaseRequest {
    typealias Answer = Result<Int, PostgresError>

    let lease: Lease
    let deadline: Instant
    private let receiver: (Answer) -> Void

    init(_ lease: Lease, deadline: Instant, receiver: @escaping (Answer) -> Void) {
        self.lease = lease
        self.deadline = deadline
        self.receiver = receiver
    }

    /// Answers, once: with the lease's id or with why there is none.
    func finish(_ answer: Answer) {
        receiver(answer)
    }
}

/// What waits for a connection.
enum Waiter {
    case query(Query)
    case lease(LeaseRequest)

    var deadline: Instant {
        switch self {
        case .query(let query): query.deadline
        case .lease(let request): request.deadline
        }
    }
}
