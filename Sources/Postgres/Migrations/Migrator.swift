package import Logging

/// Brings a database to the newest step of the schema. Any number of processes may do so at once: they take turns under an
/// advisory lock, and those that come later find nothing to do.
///
/// Its methods block; they belong on a thread of a `BlockingPool`, or before the loops start.
package struct Migrator: Sendable {
    /// The key of the advisory lock: "kidoban" in ASCII.
    private static let lockKey: Int64 = 0x6b_6964_6f62_616e
    /// How long a step may wait for a table, in milliseconds: all queries of the table queue up behind it.
    private static let tableWait: Int64 = 10_000

    private typealias Failure = BlockingConnection.Failure

    private let migrations: [Migration]
    private let configuration: PostgresConfiguration
    private let lockWait: Duration
    private let logger: Logger

    /// - Parameters:
    ///   - migrations: every step there is, numbered from 1 without gaps.
    ///   - lockWait: how long to wait for another process that is migrating.
    package init(
        _ migrations: [Migration], configuration: PostgresConfiguration, lockWait: Duration = .seconds(60), logger: Logger
    ) {
        precondition(migrations.map(\.version) == Array(1..<migrations.count + 1), "migrations are numbered from 1 without gaps")
        self.migrations = migrations
        self.configuration = configuration
        self.lockWait = lockWait
        self.logger = logger
    }

    /// Whether a database has been through exactly these steps, asked over a connection that is there: what nearly every start finds. False
    /// also where that cannot be told.
    package func isUpToDate(through pool: PostgresPool) async -> Bool {
        // A statement about a table that is not there would be told of in the log.
        guard let exists = try? await pool.query(Self.existence).first?.bool(0), exists,
            let rows = try? await pool.query(Self.history)
        else { return false }
        guard let applied = try? rows.map({ row throws(PostgresError) in try step(row) }) else { return false }
        return applied == migrations.map { AppliedMigration(version: $0.version, isUnchanged: true) }
    }

    /// The steps that `apply` would go through. Changes nothing.
    /// - Throws: `MigrationError`.
    package func pending() throws(MigrationError) -> [Migration] {
        try pending(on: try connect())
    }

    /// Goes through the steps that the database has not been through, each in a transaction of its own, and returns them.
    /// - Throws: `MigrationError`; steps before the one that failed stay done.
    @discardableResult
    package func apply() throws(MigrationError) -> [Migration] {
        let connection = try connect()
        // Without the lock first: an up-to-date database is what nearly every start finds.
        if try pending(on: connection).isEmpty { return [] }
        try lock(connection)
        try attempt { () throws(Failure) in try connection.runScript(Self.bookkeeping) }
        let pending = try pending(on: connection)
        for migration in pending {
            try attempt(migration.version) { () throws(Failure) in try apply(migration, on: connection) }
            logger.info("migration applied", ["version": .integer(migration.version), "name": .string(migration.name)])
        }
        return pending
    }

    private static let bookkeeping = """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            version integer PRIMARY KEY,
            name text NOT NULL,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        )
        """

    private func connect() throws(MigrationError) -> BlockingConnection {
        let connection: BlockingConnection
        do throws(ConnectFailure) {
            connection = try BlockingConnection(configuration)
        } catch {
            throw .unavailable(reason: error.message)
        }
        try attempt { () throws(Failure) in try connection.introduce() }
        return connection
    }

    /// Takes the lock, which the end of the connection gives back.
    private func lock(_ connection: BlockingConnection) throws(MigrationError) {
        do throws(Failure) {
            try limit(connection, lockWait: lockWait.serverMilliseconds)
            _ = try connection.run("SELECT pg_advisory_lock($1)", [.integer(Self.lockKey)]) { _ in }
            try limit(connection, lockWait: Self.tableWait)
        } catch .server(let failure) where failure.sqlState == "55P03" {
            throw .locked
        } catch {
            throw self.error(error, version: 0)
        }
    }

    /// A step takes as long as it takes, but does not wait for ever.
    private func limit(_ connection: BlockingConnection, lockWait: Int64) throws(Failure) {
        _ = try connection.run(
            "SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', $1, false)", [.integer(lockWait)]
        ) { _ in }
    }

    private func apply(_ migration: Migration, on connection: BlockingConnection) throws(Failure) {
        try connection.runScript("BEGIN")
        do throws(Failure) {
            try connection.runScript(migration.sql)
            guard connection.isInTransaction else {
                throw .server(ServerFailure(sqlState: "25P01", message: "a migration must not end its transaction"))
            }
            _ = try connection.run(
                """
                INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)
                """, [.integer(migration.version), .text(migration.name), .text(migration.checksum)]
            ) { _ in }
            try connection.runScript("COMMIT")
        } catch {
            try? connection.runScript("ROLLBACK")
            throw error
        }
    }

    private func pending(on connection: BlockingConnection) throws(MigrationError) -> [Migration] {
        var applied: [AppliedMigration] = []
        var encoding: String?
        try attempt { () throws(Failure) in
            encoding = try connection.run("SELECT current_setting('server_encoding')") { row throws(PostgresError) in
                try row.string(0)
            }.first
        }
        if let encoding, encoding != "UTF8" { throw .wrongEncoding(encoding) }
        try attempt { () throws(Failure) in applied = try self.applied(on: connection) }
        return try migrations.pending(after: applied)
    }

    /// What the database has been through; nothing when it has never been migrated.
    private func applied(on connection: BlockingConnection) throws(Failure) -> [AppliedMigration] {
        let exists = try connection.run(Self.existence.sql) { row throws(PostgresError) in try row.bool(0) }
        guard exists == [true] else { return [] }
        return try connection.run(Self.history.sql) { row throws(PostgresError) in try step(row) }
    }

    private static let existence = Statement(
        name: "kidoban_migrated", sql: "SELECT to_regclass('schema_migrations') IS NOT NULL", retryable: true)

    private static let history = Statement(
        name: "kidoban_migrations", sql: "SELECT version, checksum FROM schema_migrations ORDER BY version", retryable: true)

    private func step(_ row: Row) throws(PostgresError) -> AppliedMigration {
        let (version, checksum) = (Int(try row.int64(0)), try row.string(1))
        let known = migrations.first { $0.version == version }
        return AppliedMigration(version: version, isUnchanged: known.map { $0.checksum == checksum })
    }

    private func attempt(_ version: Int = 0, _ body: () throws(Failure) -> Void) throws(MigrationError) {
        do throws(Failure) { try body() } catch { throw self.error(error, version: version) }
    }

    private func error(_ failure: Failure, version: Int) -> MigrationError {
        switch failure {
        case .server(let failure): .failed(version: version, sqlState: failure.sqlState, message: failure.message)
        case .connectionLost: .unavailable(reason: "the connection was lost")
        case .silent: .unavailable(reason: "\(configuration.connectionString.target) has fallen silent")
        case .mismatch: .failed(version: version, sqlState: "42804", message: "schema_migrations is not of the expected form")
        }
    }
}
