import Glibc
import Testing
import TestSupport

@testable import Postgres

@Suite(.needsOwnServer, .timeLimit(.minutes(5))) struct OutageTests {
    private static let echo = Statement(name: "echo", sql: "SELECT $1::bigint")

    @Test(arguments: [TestPostgres.Shutdown.fast, .immediate])
    func `a server that stops is unavailable, and one that starts is found again`(shutdown: TestPostgres.Shutdown) async throws {
        let server = try TestPostgres()
        try await withPool(server.connectionString) { pool in
            #expect(try await pool.query(Self.echo, [.integer(1)])[0].int64(0) == 1)
            server.stop(shutdown)
            let error = await failure { () throws(PostgresError) in try await pool.query(Self.echo, [.integer(2)]) }
            #expect(error == .unavailable)
            try server.start()
            try await eventually { await pool.answers }
            #expect(try await pool.query(Self.echo, [.integer(3)])[0].int64(0) == 3)
        }
    }

    @Test func `a query in flight when the server stops is unavailable`() async throws {
        let server = try TestPostgres()
        try await withPool(server.connectionString) { pool in
            async let error = failure { () throws(PostgresError) in
                try await pool.query(Statement(name: "sleep", sql: "SELECT pg_sleep(60)"))
            }
            try await eventually { await pool.load == [1, 0] }
            server.stop(.fast)
            #expect(await error == .unavailable)
        }
    }

    @Test func `a server process that hangs is given up when the time is up`() async throws {
        let server = try TestPostgres()
        try await withPool(
            server.connectionString,
            configure: {
                $0.connectionsPerLoop = 1
                $0.deadline = .seconds(10)
            }
        ) { pool in
            let process = pid_t(try await pool.processID())
            kill(process, SIGSTOP)
            defer { kill(process, SIGCONT) }
            let error = await failure { () throws(PostgresError) in try await pool.query(Self.echo, [.integer(1)]) }
            #expect(error == .deadlineExceeded)
            try await eventually { await pool.answers }
        }
    }

    @Test func `a server that grants one connection only is made do with`() async throws {
        let server = try TestPostgres()
        try await withPool(server.connectionString) { pool in
            _ = try await pool.query(Statement(name: "role", sql: "CREATE ROLE app LOGIN CONNECTION LIMIT 1"))
        }
        try await withPool(server.connectionString + " user=app") { pool in
            let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
                for number in 0..<200 as Range<Int64> {
                    group.addTask { try await pool.query(Self.echo, [.integer(number)])[0].int64(0) }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == 19_900)
        }
    }
}
