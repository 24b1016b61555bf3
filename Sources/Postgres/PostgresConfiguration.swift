import Networking

/// How to reach PostgreSQL, how many connections to keep and how long to wait for it.
package struct PostgresConfiguration: Sendable {
    package var connectionString: ConnectionString
    /// Connections that a pool, and so a loop, opens at most. At least 1.
    package var connectionsPerLoop = 4
    /// Queries that may await an answer on one connection.
    package var inFlightLimit = 32
    /// Queries and transactions of a pool that may wait for a connection; more are refused at once.
    package var waitingLimit = 256
    /// For each address, unless the connection string says otherwise. libpq counts in whole seconds, at least 2.
    package var connectTimeout: Duration = .seconds(5)
    /// From the call of a query to its answer.
    package var deadline: Duration = .seconds(5)
    /// The pause before a new attempt to connect: doubles from the lower to the upper bound, half of it random.
    package var backOff: ClosedRange<Duration> = .milliseconds(100)...(.seconds(1))

    /// - Parameter text: a URI or `keyword=value` pairs, as libpq takes them.
    /// - Throws: `PostgresError.invalidConnectionString`.
    package init(connectionString text: String) throws(PostgresError) {
        connectionString = try ConnectionString(text)
    }

    /// After how many milliseconds the server cancels a statement by itself. Less than the deadline, because the server cancels one query
    /// and leaves its neighbours on the connection alone, while giving up on this side must wait for the answer all the same.
    var statementTimeout: Int64 {
        (deadline * 9 / 10).serverMilliseconds
    }
}

extension Duration {
    /// In milliseconds, from 1 to what a setting of PostgreSQL can hold; 0 would mean without end there.
    var serverMilliseconds: Int64 {
        Int64(min(max(1, wholeNanoseconds / 1_000_000), UInt64(Int32.max)))
    }
}
