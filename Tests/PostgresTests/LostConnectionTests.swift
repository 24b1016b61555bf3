import Testing
import TestSupport

@testable import Postgres

@Suite(.needsDatabase, .timeLimit(.minutes(5))) struct LostConnectionTests {
    private func one(_ configuration: inout PostgresConfiguration) {
        configuration.connectionsPerLoop = 1
    }

    @Test func `a query whose connection dies is unavailable, and the next one is answered`() async throws {
        let database = try TestDatabase()
        try await Barrier.closed(database) { keeper in
            try await withPool(database.connectionString, configure: one) { pool in
                async let error = failure { () throws(PostgresError) in try await pool.query(Barrier.pass) }
                try await keeper.terminate(try await keeper.waiter())
                #expect(await error == .unavailable)
                try await pool.ping()
            }
        }
    }

    @Test func `a read whose connection dies is sent once more`() async throws {
        let database = try TestDatabase()
        try await Barrier.closed(database) { keeper in
            try await withPool(database.connectionString, configure: one) { pool in
                async let answer = pool.query(Barrier.passRetryable)
                let first = try await keeper.waiter()
                try await keeper.terminate(first)
                var second = first
                while second == first { second = try await keeper.waiter() }
                try await keeper.open()
                #expect(try await answer[0].int64(2) == second)
            }
        }
    }

    @Test func `a read is not sent a third time`() async throws {
        let database = try TestDatabase()
        try await Barrier.closed(database) { keeper in
            try await withPool(database.connectionString, configure: one) { pool in
                async let error = failure { () throws(PostgresError) in try await pool.query(Barrier.passRetryable) }
                let first = try await keeper.waiter()
                try await keeper.terminate(first)
                var second = first
                while second == first { second = try await keeper.waiter() }
                try await keeper.terminate(second)
                #expect(await error == .unavailable)
            }
        }
    }

    @Test func `the death of an idle connection is noticed`() async throws {
        let database = try TestDatabase()
        try await withPool(database.connectionString, configure: one) { pool in
            let process = try await pool.processID()
            try await withPool(database.connectionString) { other in
                try await Barrier.Keeper(pool: other).terminate(process)
            }
            try await eventually {
                await failure { () throws(PostgresError) in try await pool.query(PostgresPool.processID) } == nil
            }
            #expect(try await pool.processID() != process)
        }
    }

    @Test func `a statement that takes too long is cancelled, and its connection stays`() async throws {
        try await withPool(configure: one) { pool in
            let process = try await pool.processID()
            // What the session is told at its start is looked at elsewhere; here the server's time ends long before ours.
            let hasty = Statement(name: "hasty", sql: "SELECT set_config('statement_timeout', '2000', false)")
            _ = try await pool.query(hasty)
            let sleep = Statement(name: "sleep", sql: "SELECT pg_sleep(60)")
            let error = await failure { () throws(PostgresError) in try await pool.query(sleep) }
            #expect(error == .deadlineExceeded)
            #expect(try await pool.processID() == process)
        }
    }

    @Test func `a server that does not cancel loses the connection when the time is up`() async throws {
        try await withPool(configure: {
            $0.connectionsPerLoop = 1
            $0.deadline = .seconds(10)
        }) { pool in
            let process = try await pool.processID()
            let patient = Statement(name: "patient", sql: "SELECT set_config('statement_timeout', '0', false)")
            _ = try await pool.query(patient)
            let sleep = Statement(name: "sleep", sql: "SELECT pg_sleep(60)")
            let error = await failure { () throws(PostgresError) in try await pool.query(sleep) }
            #expect(error == .deadlineExceeded)
            // Each attempt has only those ten seconds, which a busy machine may need by itself.
            var next = process
            try await eventually {
                next = (try? await pool.processID()) ?? process
                return next != process
            }
        }
    }

    @Test func `a server that turns read-only is left`() async throws {
        try await withPool(configure: one) { pool in
            _ = try await pool.query(Statement(name: "create", sql: "CREATE TABLE t (id integer)"))
            let process = try await pool.processID()
            _ = try await pool.query(Statement(name: "turn", sql: "SET default_transaction_read_only = on"))
            let insert = Statement(name: "insert", sql: "INSERT INTO t VALUES (1)")
            let error = await failure { () throws(PostgresError) in try await pool.query(insert) }
            #expect(error == .unavailable)
            #expect(try await pool.query(insert).affectedCount == 1)
            #expect(try await pool.processID() != process)
        }
    }

    @Test func `a server that is read-only is not connected to, unless the connection string allows it`() async throws {
        let database = try TestDatabase()
        try await withPool(database.connectionString, configure: one) { pool in
            _ = try await pool.query(
                Statement(
                    name: "lock",
                    sql: """
                        DO $$ BEGIN
                            EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database());
                        END $$
                        """))
        }
        try await withPool(database.connectionString) { pool in
            let error = await failure { () throws(PostgresError) in try await pool.ping() }
            #expect(error == .unavailable)
        }
        try await withPool(database.connectionString + " target_session_attrs=any") { pool in
            try await pool.ping()
        }
    }

    @Test func `a statement that speaks another protocol costs its connection only`() async throws {
        try await withPool(configure: one) { pool in
            let copy = Statement(name: "copy", sql: "COPY (SELECT 1) TO STDOUT")
            let error = await failure { () throws(PostgresError) in try await pool.query(copy) }
            #expect(error == .unavailable)
            try await eventually { await pool.answers }
        }
    }

    @Test func `where there is no server, queries fail: the first when that is known, the next at once`() async throws {
        try await withPool("host=/nonexistent", configure: { $0.backOff = .seconds(50)...(.seconds(60)) }) { pool in
            for _ in 0..<3 {
                let error = await failure { () throws(PostgresError) in try await pool.ping() }
                #expect(error == .unavailable)
            }
        }
    }

    @Test func `a server whose disk is full takes no writes, as far as is known`() async throws {
        try await withPool { pool in
            try await pool.ping()
            #expect(await !pool.refusesWrites)
            let full = Statement(name: "full", sql: "DO $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full'; END $$")
            let error = await failure { () throws(PostgresError) in try await pool.query(full) }
            #expect(error == .unavailable)
            #expect(await pool.refusesWrites)
            // It reads all the same.
            try await pool.ping()
        }
    }
}
