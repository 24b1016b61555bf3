import Networking
import Postgres

/// What a start begins before anything else, because it waits for it longest: the log-in to PostgreSQL.
package struct EarlyStart: Sendable {
    /// Threads for what blocks while it connects.
    let connecting: BlockingPool
    let first: FirstConnection

    init(_ database: PostgresConfiguration) {
        connecting = SharedParts.connectingPool()
        first = FirstConnection(database, connecting: connecting)
    }
}
