import Testing
import TestSupport

@testable import Postgres

@Suite(.needsDatabase, .timeLimit(.minutes(5))) struct StatementPreparationTests {
    private static let select = Statement(name: "select", sql: "SELECT * FROM t")

    @Test func `a statement is prepared once a connection`() async throws {
        try await withPool(configure: { $0.connectionsPerLoop = 1 }) { pool in
            for _ in 0..<3 { _ = try await pool.processID() }
            let rows = try await pool.query(
                Statement(name: "prepared", sql: "SELECT count(*) FROM pg_prepared_statements WHERE name = 'process'"))
            #expect(try rows[0].int64(0) == 1)
        }
    }

    @Test func `a statement that the server has forgotten is prepared again`() async throws {
        try await withPool(configure: { $0.connectionsPerLoop = 1 }) { pool in
            let process = try await pool.processID()
            _ = try await pool.query(Statement(name: "forget", sql: "DEALLOCATE ALL"))
            #expect(try await pool.processID() == process)
        }
    }

    @Test func `a plan that a migration has outdated is made anew`() async throws {
        try await withPool(configure: { $0.connectionsPerLoop = 1 }) { pool in
            _ = try await pool.query(Statement(name: "create", sql: "CREATE TABLE t AS SELECT 1 AS a"))
            #expect(try await pool.query(Self.select)[0].int64(0) == 1)
            _ = try await pool.query(Statement(name: "alter", sql: "ALTER TABLE t ADD COLUMN b text DEFAULT 'new'"))
            #expect(try await pool.query(Self.select)[0].string(1) == "new")
        }
    }

    @Test func `a statement that could not be prepared is tried anew`() async throws {
        try await withPool(configure: { $0.connectionsPerLoop = 1 }) { pool in
            for _ in 0..<2 {
                let error = await failure { () throws(PostgresError) in try await pool.query(Self.select) }
                #expect(error == .server(sqlState: "42P01", constraint: nil))
            }
            _ = try await pool.query(Statement(name: "create", sql: "CREATE TABLE t AS SELECT 1 AS a"))
            #expect(try await pool.query(Self.select).count == 1)
        }
    }

    @Test func `a preparation that is given up is made up for once, however many queries wait for it`() async throws {
        try await withPool(configure: { $0.connectionsPerLoop = 1 }) { pool in
            _ = try await pool.query(Statement(name: "create", sql: "CREATE TABLE t AS SELECT 1 AS a"))
            for _ in 0..<10 {
                // What is sent together is answered together or not; either way nobody may hear of the preparation.
                _ = try await pool.query(Statement(name: "forget", sql: "DEALLOCATE ALL"))
                let answered = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<100 { group.addTask { try await pool.query(Self.select).count } }
                    return try await group.reduce(0, +)
                }
                #expect(answered == 100)
            }
        }
    }

    @Test func `many queries at once prepare their statement on each connection, and all are answered`() async throws {
        try await withPool { pool in
            let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
                for number in 0..<200 as Range<Int64> {
                    group.addTask {
                        try await pool.query(
                            Statement(name: "cold", sql: "SELECT $1::bigint"), [.integer(number)])[0].int64(0)
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == 19_900)
        }
    }
}
