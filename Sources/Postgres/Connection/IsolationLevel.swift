/// What a transaction sees of others (PostgreSQL 15, §13.2).
package enum IsolationLevel: Sendable {
    case readCommitted
    case repeatableRead
    case serializable

    var opening: StaticString {
        switch self {
        case .readCommitted: "BEGIN ISOLATION LEVEL READ COMMITTED"
        case .repeatableRead: "BEGIN ISOLATION LEVEL REPEATABLE READ"
        case .serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE"
        }
    }
}
