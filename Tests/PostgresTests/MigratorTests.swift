import Logging
import Networking
import Testing
import TestSupport

@testable import Postgres

@Suite(.needsDatabase, .timeLimit(.minutes(5))) struct MigratorTests {
    private static let steps = [
        Migration(version: 1, name: "users", sql: "CREATE TABLE users (id integer); INSERT INTO users VALUES (1);"),
        Migration(version: 2, name: "names", sql: "ALTER TABLE users ADD COLUMN name text"),
        Migration(version: 3, name: "slow", sql: "SELECT pg_sleep(0.2); CREATE TABLE other (id integer)"),
    ]

    private func migrator(_ steps: [Migration], _ database: TestDatabase, lockWait: Duration = .seconds(60)) throws -> Migrator {
        Migrator(
            steps, configuration: try PostgresConfiguration(connectionString: database.connectionString), lockWait: lockWait,
            logger: .disabled)
    }

    @Test func `an empty database gets every step, once`() throws {
        let database = try TestDatabase()
        let migrator = try migrator(Self.steps, database)
        #expect(try migrator.pending().map(\.version) == [1, 2, 3])
        #expect(try migrator.apply().map(\.version) == [1, 2, 3])
        #expect(try migrator.pending().isEmpty)
        #expect(try migrator.apply().isEmpty)
    }

    @Test func `a database gets the steps that it lacks`() throws {
        let database = try TestDatabase()
        #expect(try migrator(Array(Self.steps.prefix(1)), database).apply().map(\.version) == [1])
        #expect(try migrator(Self.steps, database).apply().map(\.version) == [2, 3])
    }

    @Test func `a database is up to date that has been through exactly these steps`() async throws {
        let database = try TestDatabase()
        try await withPool(database.connectionString) { pool in
            let whole = try migrator(Self.steps, database)
            #expect(await !whole.isUpToDate(through: pool))
            try migrator(Array(Self.steps.prefix(2)), database).apply()
            #expect(await !whole.isUpToDate(through: pool))
            try whole.apply()
            #expect(await whole.isUpToDate(through: pool))
            #expect(try await !migrator(Array(Self.steps.prefix(2)), database).isUpToDate(through: pool))
            let edited = [Self.steps[0], Migration(version: 2, name: "names", sql: "SELECT 1"), Self.steps[2]]
            #expect(try await !migrator(edited, database).isUpToDate(through: pool))
        }
    }

    @Test func `processes that migrate at once do each step once`() async throws {
        let database = try TestDatabase()
        let migrator = try migrator(Self.steps, database)
        let threads = BlockingPool(label: "migrate", threads: 6, queueLimit: 6)
        defer { threads.stop() }
        let applied = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<6 {
                group.addTask {
                    try await threads.run { Result { try migrator.apply().map(\.version) } }.get()
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied == [1, 2, 3])
    }

    @Test func `a newer schema is refused, and nothing is changed`() throws {
        let database = try TestDatabase()
        try migrator(Self.steps, database).apply()
        let older = try migrator(Array(Self.steps.prefix(2)), database)
        #expect(throws: MigrationError.schemaNewer(found: 3, known: 2)) { try older.apply() }
        #expect(throws: MigrationError.schemaNewer(found: 3, known: 2)) { try older.pending() }
    }

    @Test func `an edited step is refused`() throws {
        let database = try TestDatabase()
        try migrator(Self.steps, database).apply()
        var edited = Self.steps
        edited[1] = Migration(version: 2, name: "names", sql: "ALTER TABLE users ADD COLUMN nickname text")
        #expect(throws: MigrationError.changed(version: 2)) { try migrator(edited, database).apply() }
    }

    @Test func `a step that fails leaves nothing of itself, and the steps before it`() throws {
        let database = try TestDatabase()
        let broken =
            Self.steps.prefix(1) + [Migration(version: 2, name: "broken", sql: "CREATE TABLE half (id integer); SELECT 1/0")]
        #expect(throws: MigrationError.failed(version: 2, sqlState: "22012", message: nil)) {
            try migrator(Array(broken), database).apply()
        }
        #expect(try migrator(Self.steps, database).pending().map(\.version) == [2, 3])
        let again = Self.steps.prefix(1) + [Migration(version: 2, name: "whole", sql: "CREATE TABLE half (id integer)")]
        #expect(try migrator(Array(again), database).apply().map(\.version) == [2])
    }

    @Test func `a step that ends its transaction is refused`() throws {
        let database = try TestDatabase()
        let migrator = try migrator([Migration(version: 1, name: "rogue", sql: "SELECT 1; COMMIT")], database)
        #expect {
            try migrator.apply()
        } throws: { error in
            guard case .failed(version: 1, sqlState: "25P01", _) = error as? MigrationError else { return false }
            return true
        }
    }

    @Test func `waiting for another process ends`() async throws {
        let database = try TestDatabase()
        try await withPool(database.connectionString) { pool in
            _ = try await pool.transaction { (transaction) async throws(PostgresError) in
                _ = try await transaction.query(
                    Statement(name: "hold", sql: "SELECT pg_advisory_xact_lock(x'6b69646f62616e'::bigint)"))
                #expect(throws: MigrationError.locked) {
                    try migrator(Self.steps, database, lockWait: .milliseconds(50)).apply()
                }
            }
        }
    }

    @Test func `a server that is not there is named as the reason`() throws {
        let configuration = try PostgresConfiguration(connectionString: "host=/nonexistent")
        let migrator = Migrator(Self.steps, configuration: configuration, logger: .disabled)
        #expect {
            try migrator.apply()
        } throws: { error in
            guard case .unavailable(let reason) = error as? MigrationError else { return false }
            return reason.contains("/nonexistent")
        }
    }
}
