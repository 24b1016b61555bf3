import Logging
import Networking
import Testing
import TestSupport

@testable import Postgres

extension Trait where Self == ConditionTrait {
    /// For suites that need a PostgreSQL server to be given.
    static var needsDatabase: Self { .enabled(if: TestDatabase.server != nil, Comment(rawValue: TestDatabase.reason)) }

    /// For suites that start and stop a PostgreSQL server of their own.
    static var needsOwnServer: Self {
        .enabled(if: TestPostgres.isAvailable, "there is no PostgreSQL server program on this machine")
    }
}

/// How long a server may take that is to answer: more than any machine needs, however busy.
let patience = Duration.seconds(60)

/// Lends a pool on a loop of its own, connected to `connectionString` or to a new and empty database.
func withPool<T: Sendable>(
    _ connectionString: String? = nil, configure: (inout PostgresConfiguration) -> Void = { _ in },
    first makeFirst: (PostgresConfiguration, BlockingPool) -> FirstConnection? = { _, _ in nil },
    _ body: (PostgresPool) async throws -> T
) async throws -> T {
    let database = try connectionString == nil ? TestDatabase() : nil
    defer { withExtendedLifetime(database) {} }
    var configuration = try PostgresConfiguration(connectionString: connectionString ?? database?.connectionString ?? "")
    configuration.deadline = patience
    configuration.connectTimeout = patience
    configure(&configuration)
    let loop = try EventLoop()
    let connecting = BlockingPool(label: "pg-test", threads: 1, queueLimit: 8)
    defer {
        loop.stop()
        connecting.stop()
    }
    let pool = PostgresPool(
        configuration, loop: loop, connecting: connecting, first: makeFirst(configuration, connecting), logger: .disabled)
    do {
        let value = try await body(pool)
        await pool.close()
        return value
    } catch {
        await pool.close()
        throw error
    }
}

/// Waits for `condition` to hold, for as long as the test's time limit allows.
func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(10)) }
}

/// The error of an operation that must fail.
func failure<T>(of operation: () async throws(PostgresError) -> T) async -> PostgresError? {
    do throws(PostgresError) {
        _ = try await operation()
        return nil
    } catch {
        return error
    }
}

extension PostgresPool {
    /// Whether the server answers, now.
    var answers: Bool {
        get async { await failure { () throws(PostgresError) in try await ping() } == nil }
    }
}

/// An advisory lock that a test holds, so that statements that ask for it wait for as long as the test likes.
enum Barrier {
    /// Waits for the barrier and passes on; on the barrier's own database only.
    static let pass = Statement(
        name: "pass", sql: "SELECT pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1), pg_backend_pid()")
    static let passRetryable = Statement(
        name: "pass_retryable", sql: "SELECT pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1), pg_backend_pid()",
        retryable: true)
    private static let close = Statement(name: "close", sql: "SELECT pg_advisory_lock(1)")
    private static let open = Statement(name: "open", sql: "SELECT pg_advisory_unlock(1)")
    private static let waiters = Statement(
        name: "waiters",
        sql: """
            SELECT pid FROM pg_locks
            WHERE locktype = 'advisory' AND NOT granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """)
    private static let terminate = Statement(name: "terminate", sql: "SELECT pg_terminate_backend($1)")

    /// Closes the barrier for `body`, which gets the means to open it and to look after who waits.
    static func closed<T: Sendable>(
        _ database: TestDatabase, _ body: (Keeper) async throws -> T
    ) async throws -> T {
        try await withPool(database.connectionString, configure: { $0.connectionsPerLoop = 1 }) { pool in
            _ = try await pool.query(close)
            return try await body(Keeper(pool: pool))
        }
    }

    struct Keeper: Sendable {
        let pool: PostgresPool

        func open() async throws {
            _ = try await pool.query(Barrier.open)
        }

        /// Waits until a session waits, and returns its process.
        func waiter() async throws -> Int64 {
            while true {
                if let row = try await pool.query(waiters).first { return try row.int64(0) }
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        func terminate(_ process: Int64) async throws {
            _ = try await pool.query(Barrier.terminate, [.integer(process)])
        }
    }
}

extension PostgresPool {
    static let processID = Statement(name: "process", sql: "SELECT pg_backend_pid()")

    /// The server's process behind the connection of a pool that has only one.
    func processID() async throws -> Int64 {
        try await query(Self.processID)[0].int64(0)
    }

    var isDraining: Bool { state.isDraining }

    /// Attempts to connect that have failed in a row.
    var failures: Int { state.failures }

    /// How many queries are in flight, and how many wait.
    var load: [Int] { state.load }
}
