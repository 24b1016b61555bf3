import Glibc
import Logging
import Networking
import Testing
import TestSupport

@testable import Postgres

@Suite(.needsDatabase, .timeLimit(.minutes(5))) struct PostgresLogTests {
    private static let secret = "hunter2@example.org"

    /// What a pool logs while `body` uses it.
    private func lines(
        of connectionString: String, _ body: (PostgresPool) async throws -> Void
    ) async throws -> String {
        let path = "/tmp/kidoban-log-\(UInt64.random(in: .min ... .max))"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        defer {
            close(descriptor)
            unlink(path)
        }
        let sink = try LogSink(descriptor: descriptor, format: .json)
        let loop = try EventLoop()
        let connecting = BlockingPool(label: "pg-test", threads: 1, queueLimit: 8)
        var configuration = try PostgresConfiguration(connectionString: connectionString)
        configuration.deadline = patience
        configuration.connectTimeout = patience
        let pool = PostgresPool(
            configuration, loop: loop, connecting: connecting, logger: Logger(sink: sink, level: .trace))
        try await body(pool)
        await pool.close()
        loop.stop()
        connecting.stop()
        #expect(sink.flush(timeout: patience))
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func `no parameter reaches the log, not even in the server's words`() async throws {
        let database = try TestDatabase()
        let log = try await lines(of: database.connectionString) { pool in
            _ = try await pool.query(
                Statement(name: "create", sql: "CREATE TABLE t (id text PRIMARY KEY, n integer CHECK (n > 0))"))
            let insert = Statement(name: "insert", sql: "INSERT INTO t VALUES ($1, $2)")
            let cast = Statement(name: "cast", sql: "SELECT $1::text::uuid")
            let raise = Statement(
                name: "raise", sql: "SELECT query_to_xml('DO $q$ BEGIN RAISE ''' || $1::text || '''; END $q$', true, true, '')")
            _ = try await pool.query(insert, [.text(Self.secret), .integer(1)])
            for (statement, parameters) in [
                (insert, [.text(Self.secret), .integer(1)]), (insert, [.text("x" + Self.secret), .integer(0)]),
                (cast, [.text(Self.secret)]), (raise, [.text(Self.secret)]),
            ] as [(Statement, [PostgresValue])] {
                let error = await failure { () throws(PostgresError) in try await pool.query(statement, parameters) }
                #expect(error != nil)
                #expect(!"\(String(reflecting: error))".contains("hunter2"))
            }
        }
        #expect(log.contains(#""sqlstate":"23505""#))
        #expect(log.contains(#""sqlstate":"22P02""#))
        #expect(!log.contains("hunter2"))
    }

    @Test func `a server that cannot be reached is logged once for each cause, without the password`() async throws {
        let log = try await lines(of: "host=/nonexistent password=\(Self.secret) user=app") { pool in
            try await eventually { await pool.failures > 2 }
        }
        #expect(log.split(separator: "\n").filter { $0.contains("cannot be reached") }.count == 1)
        #expect(log.contains("/nonexistent"))
        #expect(!log.contains("hunter2"))
    }

    @Test func `why the server has ended an idle connection is logged`() async throws {
        let database = try TestDatabase()
        let log = try await lines(of: database.connectionString) { pool in
            let process = try await pool.processID()
            try await withPool(database.connectionString) { other in
                try await Barrier.Keeper(pool: other).terminate(process)
            }
            try await eventually {
                try await pool.query(Statement(name: "other", sql: "SELECT pg_backend_pid()", retryable: true))[0].int64(0)
                    != process
            }
        }
        #expect(log.contains(#""sqlstate":"57P01""#))
    }
}
