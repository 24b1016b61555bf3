/// Why a query has no answer. None carries a parameter, a value of a row, a host name or a text of the server.
package enum PostgresError: Error, Equatable, Sendable {
    /// There is no usable server: it is down, starting, stopping, read-only, out of connections or out of space.
    /// Whether a statement was carried out is not known when the connection died under it.
    case unavailable
    /// No connection became free, or too many queries wait already. Nothing was carried out.
    case overloaded
    /// The answer did not come in time. Whether the statement was carried out is not known.
    case deadlineExceeded
    /// A row with this key exists (SQLSTATE 23505).
    case uniqueViolation(constraint: String)
    /// The server refused the statement, which had no effect.
    case server(sqlState: String, constraint: String?)
    /// The parameter at this index (from 0) contains a NUL character, which PostgreSQL cannot store as text.
    case invalidParameter(Int)
    /// The column at this index (from 0) does not exist, is NULL, or is not of the type asked for.
    case unexpectedColumn(Int)
    /// libpq cannot read the connection string.
    case invalidConnectionString
}

extension PostgresError: CustomStringConvertible {
    /// For the log and for operators.
    package var description: String {
        switch self {
        case .unavailable: "it is away, or takes no writes"
        case .overloaded: "too many queries wait for it"
        case .deadlineExceeded: "no answer in time"
        case .uniqueViolation(let constraint): "there is such a row already (\(constraint))"
        case .server(let sqlState, let constraint):
            "it has refused a statement (SQLSTATE \(sqlState)\(constraint.map { ", \($0)" } ?? ""))"
        case .invalidParameter(let index): "parameter \(index) has a character that cannot be stored"
        case .unexpectedColumn(let index): "column \(index) of a row is not what it must be"
        case .invalidConnectionString: "DATABASE_URL cannot be read"
        }
    }
}

extension PostgresError {
    /// Whether another transaction was in the way (serialization failure, deadlock), so that trying again makes sense.
    package var isConflict: Bool {
        guard case .server(let sqlState, _) = self else { return false }
        return sqlState == "40001" || sqlState == "40P01"
    }
}

/// An error that can stand for a failure of the database, so that a transaction's body may throw errors of its own layer.
package protocol PostgresFailure: Error {
    init(postgres error: PostgresError)
}

extension PostgresError: PostgresFailure {
    package init(postgres error: PostgresError) {
        self = error
    }
}
