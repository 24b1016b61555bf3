import Networking
import Testing
import TestSupport

@testable import Postgres

@Suite(.needsDatabase, .timeLimit(.minutes(5))) struct PostgresPoolTests {
    private static let echo = Statement(name: "echo", sql: "SELECT $1::bigint, pg_backend_pid()")

    @Test func `a connection that was begun before the pool is used by it, and ends with it`() async throws {
        let database = try TestDatabase()
        var first: FirstConnection?
        let process = try await withPool(
            database.connectionString,
            first: { configuration, connecting in
                first = FirstConnection(configuration, connecting: connecting)
                return first
            }
        ) { pool in
            let processes = try await withThrowingTaskGroup(of: Int64.self) { group in
                for _ in 0..<20 { group.addTask { try await pool.query(Self.echo, [.integer(1)])[0].int64(1) } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            // It is the only one until the pool may grow.
            return try #require(processes.count == 1 ? processes.first : nil)
        }
        let question = Statement(name: "is_there", sql: "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1::bigint)")
        try await withPool(database.connectionString) { pool in
            try await eventually { try await !pool.query(question, [.integer(process)])[0].bool(0) }
        }
        withExtendedLifetime(first) {}
    }

    @Test func `a thousand queries at once come back to those who asked, over two connections`() async throws {
        try await withPool(configure: {
            $0.connectionsPerLoop = 2
            $0.waitingLimit = 1000
        }) { pool in
            var processes: Set<Int64> = []
            // The first connection may be done before there is a second.
            while processes.count < 2 {
                processes = try await withThrowingTaskGroup(of: Int64.self) { group in
                    for number in 0..<1000 as Range<Int64> {
                        group.addTask {
                            let row = try await pool.query(Self.echo, [.integer(number)])[0]
                            #expect(try row.int64(0) == number)
                            return try row.int64(1)
                        }
                    }
                    return try await group.reduce(into: processes) { $0.insert($1) }
                }
            }
            #expect(processes.count == 2)
        }
    }

    @Test func `queries of one task on the loop follow one another`() async throws {
        try await withPool { pool in
            let sum = await withCheckedContinuation { continuation in
                pool.loop.start {
                    var sum: Int64 = 0
                    for number in 1...200 as ClosedRange<Int64> {
                        let rows = try? await pool.query(Self.echo, [.integer(number)])
                        sum += (try? rows?.first?.int64(0)) ?? 0
                    }
                    continuation.resume(returning: sum)
                }
            }
            #expect(sum == 20_100)
        }
    }

    @Test func `a query that fails leaves its neighbours on the connection alone`() async throws {
        try await withPool(configure: { $0.connectionsPerLoop = 1 }) { pool in
            let divide = Statement(name: "divide", sql: "SELECT 100 / $1::integer")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let divisor = number % 3
                        if divisor == 0 {
                            let error = await failure { () throws(PostgresError) in try await pool.query(divide, [.integer(0)]) }
                            #expect(error == .server(sqlState: "22012", constraint: nil))
                        } else {
                            let row = try await pool.query(divide, [.integer(divisor)])[0]
                            #expect(try row.int64(0) == Int64(100 / divisor))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `violated constraints are named`() async throws {
        try await withPool(configure: { $0.connectionsPerLoop = 1 }) { pool in
            _ = try await pool.query(
                Statement(
                    name: "create",
                    sql: "CREATE TABLE t (id integer CONSTRAINT t_key PRIMARY KEY, age integer CONSTRAINT t_age CHECK (age > 0))")
            )
            let insert = Statement(name: "insert", sql: "INSERT INTO t VALUES ($1, $2)")
            #expect(try await pool.query(insert, [.integer(1), .integer(1)]).affectedCount == 1)
            let duplicate = await failure { () throws(PostgresError) in try await pool.query(insert, [.integer(1), .integer(1)]) }
            #expect(duplicate == .uniqueViolation(constraint: "t_key"))
            let unborn = await failure { () throws(PostgresError) in try await pool.query(insert, [.integer(2), .integer(0)]) }
            #expect(unborn == .server(sqlState: "23514", constraint: "t_age"))
        }
    }

    @Test(arguments: [
        "' OR 1=1--", "'; DROP TABLE t; --", "\\'; DROP TABLE t; --", "$1", "$$; DROP TABLE t; $$", "\"", "%s%n", "\u{2028}",
        "{\"a\":1}", "Robert'); DROP TABLE t;--", "\u{feff}\u{202e}abc", "' UNION SELECT version()--", "\u{1}\u{7f}\r\n\t",
    ])
    func `text that looks like SQL is text`(text: String) async throws {
        try await withPool(configure: { $0.connectionsPerLoop = 1 }) { pool in
            _ = try await pool.query(Statement(name: "create", sql: "CREATE TABLE t (value text, list text[], document jsonb)"))
            let insert = Statement(name: "insert", sql: "INSERT INTO t VALUES ($1, $2, to_jsonb($1::text))")
            _ = try await pool.query(insert, [.text(text), .textArray([text, text])])
            let rows = try await pool.query(
                Statement(name: "select", sql: "SELECT value, list, document #>> '{}' FROM t WHERE value = $1"), [.text(text)])
            #expect(rows.count == 1)
            #expect(try rows[0].string(0) == text)
            #expect(try rows[0].strings(1) == [text, text])
            #expect(try rows[0].string(2) == text)
        }
    }

    @Test func `a NUL in text and broken UTF-8 are refused, and nothing is cut off`() async throws {
        try await withPool { pool in
            let text = Statement(name: "text", sql: "SELECT $1::text")
            let nul = await failure { () throws(PostgresError) in try await pool.query(text, [.text("a\u{0}b")]) }
            #expect(nul == .invalidParameter(0))
            let broken = Statement(name: "broken", sql: "SELECT convert_from($1, 'UTF8')")
            let error = await failure { () throws(PostgresError) in try await pool.query(broken, [.bytes([0xc3, 0x28])]) }
            #expect(error == .server(sqlState: "22021", constraint: nil))
            let json = await failure { () throws(PostgresError) in
                try await pool.query(Statement(name: "json", sql: "SELECT $1::jsonb"), [.json(#""\u0000""#)])
            }
            #expect(json == .server(sqlState: "22P05", constraint: nil))
        }
    }

    @Test func `mistakes of ours are not taken for a server that is down`() async throws {
        try await withPool(configure: { $0.connectionsPerLoop = 1 }) { pool in
            let process = try await pool.processID()
            let few = await failure { () throws(PostgresError) in try await pool.query(Self.echo, []) }
            #expect(few == .server(sqlState: "08P01", constraint: nil))
            let syntax = await failure { () throws(PostgresError) in try await pool.query(Statement(name: "bad", sql: "SELEKT")) }
            #expect(syntax == .server(sqlState: "42601", constraint: nil))
            #expect(try await pool.processID() == process)
        }
    }

    @Test func `the session is set up as the configuration says`() async throws {
        try await withPool(configure: { $0.deadline = .seconds(100) }) { pool in
            let names = ["application_name", "statement_timeout", "idle_in_transaction_session_timeout", "client_encoding"]
            let rows = try await pool.query(
                Statement(
                    name: "settings",
                    sql: "SELECT current_setting(name) FROM unnest($1::text[]) WITH ORDINALITY AS s (name, n) ORDER BY n"),
                [.textArray(names)])
            #expect(try rows.map { try $0.string(0) } == ["kidoban", "90s", "100s", "UTF8"])
        }
    }

    @Test func `more may not wait than the configuration allows`() async throws {
        let database = try TestDatabase()
        try await Barrier.closed(database) { keeper in
            try await withPool(
                database.connectionString,
                configure: {
                    $0.connectionsPerLoop = 1
                    $0.inFlightLimit = 2
                    $0.waitingLimit = 3
                }
            ) { pool in
                try await pool.ping()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<5 { group.addTask { _ = try await pool.query(Barrier.pass) } }
                    try await eventually { await pool.load == [2, 3] }
                    let error = await failure { () throws(PostgresError) in try await pool.query(Self.echo, [.integer(1)]) }
                    #expect(error == .overloaded)
                    try await keeper.open()
                    try await group.waitForAll()
                }
                #expect(await pool.answers)
            }
        }
    }

    @Test func `waiting for a connection ends`() async throws {
        try await withPool(configure: {
            $0.connectionsPerLoop = 1
            $0.deadline = .seconds(5)
        }) { pool in
            let error = try await pool.transaction { (transaction) async throws(PostgresError) in
                await failure { () throws(PostgresError) in try await pool.query(Self.echo, [.integer(1)]) }
            }
            #expect(error == .overloaded)
            let leaseError = try await pool.transaction { (transaction) async throws(PostgresError) in
                await failure { () throws(PostgresError) in
                    try await pool.transaction { (inner) async throws(PostgresError) in }
                }
            }
            #expect(leaseError == .overloaded)
            #expect(await pool.answers)
        }
    }

    @Test func `closing finishes what has begun and takes nothing new`() async throws {
        let database = try TestDatabase()
        try await Barrier.closed(database) { keeper in
            try await withPool(database.connectionString) { pool in
                async let answer = pool.query(Barrier.pass)
                _ = try await keeper.waiter()
                async let closing: Void = pool.close()
                try await eventually { await pool.isDraining }
                let refused = await failure { () throws(PostgresError) in try await pool.ping() }
                #expect(refused == .unavailable)
                try await keeper.open()
                #expect(try await answer.count == 1)
                await closing
                let error = await failure { () throws(PostgresError) in try await pool.ping() }
                #expect(error == .unavailable)
            }
        }
    }
}
