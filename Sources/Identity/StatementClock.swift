import Postgres
package import Text

/// Whose time it is inside the statements that compare instants of PostgreSQL's tables with the present: what is due, until when
/// something is taken, what is of no use any more.
///
/// The copies' clocks may be wrong by any amount, and different. A copy that is ahead would try again at once what was put off, give up
/// what is still good, and have a key sign before anybody knows it. So one clock counts that all copies share, and copies say
/// only how long something takes.
package enum StatementClock: Sendable {
    /// That of PostgreSQL, when it gets the statement.
    case postgres
    /// The caller's, for tests at any hour.
    case callers
}

/// By what time a statement goes.
package enum StatementTime: Equatable, Sendable {
    case postgres
    case given(Timestamp)

    /// The first parameter of a statement that uses `SQL.now`.
    var parameter: PostgresValue {
        switch self {
        case .postgres: .null
        case .given(let instant): .integer(instant.milliseconds)
        }
    }
}

extension PostgresValue {
    /// For `SQL.milliseconds`.
    static func duration(_ duration: Duration) -> PostgresValue {
        .integer(duration.wholeMilliseconds)
    }
}

extension SQL {
    /// The time of a statement whose first parameter is that of a `StatementTime`. It does not change within the statement, and an index
    /// can be searched by it.
    static let now: SQL = "coalesce(to_timestamp($1::bigint / 1000.0), statement_timestamp())"

    /// To be multiplied with.
    static let milliseconds: SQL = "interval '1 millisecond'"
}
