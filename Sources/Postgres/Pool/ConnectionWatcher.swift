import Networking

/// Takes what the kernel says of a connection's socket to the pool that owns the connection.
final class ConnectionWatcher: ReadinessHandler {
    private weak let pool: PostgresPool?
    private let connection: Int

    init(pool: PostgresPool, connection: Int) {
        self.pool = pool
        self.connection = connection
    }

    func ready(_ readiness: Readiness) {
        pool?.assumeIsolated { $0.ready(connection, readiness) }
    }
}
