import Networking
import Testing
import TestSupport

@testable import Postgres

@Suite(.needsDatabase, .timeLimit(.minutes(5))) struct TransactionTests {
    private enum Refusal: PostgresFailure, Equatable {
        case postgres(PostgresError)
        case taken

        init(postgres error: PostgresError) {
            self = .postgres(error)
        }
    }

    /// Holds the first two runs of a body until both have come to it.
    private actor Runs {
        private(set) var count = 0

        func meet() async {
            count += 1
            while count < 2 { await Task.yield() }
        }
    }

    private static let create = Statement(name: "create", sql: "CREATE TABLE t (id integer PRIMARY KEY, n integer NOT NULL)")
    private static let insert = Statement(name: "insert", sql: "INSERT INTO t VALUES ($1, 0)")
    private static let count = Statement(name: "count", sql: "SELECT count(*), coalesce(sum(n), 0) FROM t")
    private static let process = PostgresPool.processID

    private func withTable<T: Sendable>(
        connections: Int = 4, _ body: (PostgresPool) async throws -> T
    ) async throws -> T {
        try await withPool(configure: { $0.connectionsPerLoop = connections }) { pool in
            _ = try await pool.query(Self.create)
            return try await body(pool)
        }
    }

    private func rowCount(_ pool: PostgresPool) async throws -> Int64 {
        try await pool.query(Self.count)[0].int64(0)
    }

    @Test func `what a transaction does is seen when it has ended`() async throws {
        try await withTable { pool in
            let before = try await pool.transaction { (transaction) async throws(PostgresError) in
                _ = try await transaction.query(Self.insert, [.integer(1)])
                _ = try await transaction.query(Self.insert, [.integer(2)])
                return try await pool.query(Self.count)[0].int64(0)
            }
            #expect(before == 0)
            let count = try await rowCount(pool)
            #expect(count == 2)
        }
    }

    @Test func `a body that throws leaves nothing behind, and its error arrives as it was`() async throws {
        try await withTable(connections: 1) { pool in
            await #expect(throws: Refusal.taken) {
                try await pool.transaction { (transaction) async throws(Refusal) in
                    do throws(PostgresError) {
                        _ = try await transaction.query(Self.insert, [.integer(1)])
                    } catch {
                        throw .postgres(error)
                    }
                    throw .taken
                }
            }
            let count = try await rowCount(pool)
            #expect(count == 0)
        }
    }

    @Test func `a failed statement fails the transaction, even when the body makes light of it`() async throws {
        try await withTable(connections: 1) { pool in
            let error = await failure { () throws(PostgresError) in
                try await pool.transaction { (transaction) async throws(PostgresError) in
                    _ = try await transaction.query(Self.insert, [.integer(1)])
                    _ = try? await transaction.query(Self.insert, [.integer(1)])
                }
            }
            #expect(error == .server(sqlState: "25P02", constraint: nil))
            let count = try await rowCount(pool)
            #expect(count == 0)
        }
    }

    @Test func `the first statement is within the transaction, too`() async throws {
        try await withTable(connections: 1) { pool in
            let error = await failure { () throws(PostgresError) in
                try await pool.transaction { (transaction) async throws(PostgresError) in
                    _ = try await transaction.query(Statement(name: "nothing", sql: "SELECT * FROM nothing"))
                }
            }
            #expect(error == .server(sqlState: "42P01", constraint: nil))
            _ = try await pool.transaction { (transaction) async throws(PostgresError) in
                _ = try await transaction.query(Self.insert, [.integer(1)])
            }
            let count = try await rowCount(pool)
            #expect(count == 1)
        }
    }

    @Test func `a transaction has its connection to itself`() async throws {
        try await withPool(configure: { $0.connectionsPerLoop = 2 }) { pool in
            try await pool.transaction { (transaction) async throws(PostgresError) in
                let own = try await transaction.query(Self.process)[0].int64(0)
                for _ in 0..<20 {
                    #expect(try await transaction.query(Self.process)[0].int64(0) == own)
                    #expect(try await pool.query(Self.process)[0].int64(0) != own)
                }
            }
        }
    }

    @Test func `transactions and queries share one connection in turn`() async throws {
        try await withTable(connections: 1) { pool in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        guard number.isMultiple(of: 2) else { return try await pool.ping() }
                        try await pool.transaction { (transaction) async throws(PostgresError) in
                            _ = try await transaction.query(Self.insert, [.integer(number)])
                            _ = try await transaction.query(Self.insert, [.integer(number + 1)])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count = try await rowCount(pool)
            #expect(count == 60)
        }
    }

    @Test func `a body that was in the way of another is run again`() async throws {
        try await withTable { pool in
            _ = try await pool.query(Self.insert, [.integer(1)])
            let read = Statement(name: "read", sql: "SELECT n FROM t WHERE id = 1")
            let write = Statement(name: "write", sql: "UPDATE t SET n = $1 WHERE id = 1")
            let runs = Runs()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        try await pool.transaction(isolation: .serializable, onConflict: .retry) {
                            (transaction) async throws(PostgresError) in
                            let value = try await transaction.query(read)[0].int64(0)
                            await runs.meet()
                            _ = try await transaction.query(write, [.integer(value + 1)])
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await pool.query(read)[0].int64(0) == 2)
            #expect(await runs.count > 2)
        }
    }

    @Test(arguments: [(ConflictPolicy.fail, 1), (.retry, 3)])
    func `a conflict that stays is reported after the attempts that are allowed`(policy: ConflictPolicy, attempts: Int)
        async throws
    {
        try await withPool(configure: { $0.connectionsPerLoop = 1 }) { pool in
            let conflict = Statement(name: "conflict", sql: "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$")
            var runs = 0
            do throws(PostgresError) {
                try await pool.transaction(onConflict: policy) { (transaction) async throws(PostgresError) in
                    runs += 1
                    _ = try await transaction.query(conflict)
                }
                Issue.record("there must be a conflict")
            } catch {
                #expect(error.isConflict)
            }
            #expect(runs == attempts)
        }
    }

    @Test func `a transaction whose connection dies is unavailable and leaves nothing behind`() async throws {
        try await withTable(connections: 2) { pool in
            let error = await failure { () throws(PostgresError) in
                try await pool.transaction { (transaction) async throws(PostgresError) in
                    _ = try await transaction.query(Self.insert, [.integer(1)])
                    let process = try await transaction.query(Self.process)[0].int64(0)
                    _ = try await pool.query(
                        Statement(name: "terminate", sql: "SELECT pg_terminate_backend($1)"), [.integer(process)])
                    _ = try await transaction.query(Self.insert, [.integer(2)])
                }
            }
            #expect(error == .unavailable)
            let count = try await rowCount(pool)
            #expect(count == 0)
        }
    }

    @Test func `a transaction that has ended cannot be used`() async throws {
        try await withTable(connections: 1) { pool in
            let kept = try await pool.transaction { (transaction) async throws(PostgresError) in transaction }
            let error = await failure { () throws(PostgresError) in try await kept.query(Self.process) }
            #expect(error == .unavailable)
            #expect(await pool.answers)
        }
    }

    @Test func `a transaction ends whenever its connection goes`() async throws {
        try await withPool(configure: {
            $0.connectionsPerLoop = 2
            $0.backOff = .milliseconds(1)...(.milliseconds(1))
        }) { pool in
            let ended = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask(executorPreference: pool.loop) {
                        var ended = 0
                        for round in 0..<60 {
                            _ = await failure { () throws(PostgresError) in
                                try await pool.transaction { (transaction) async throws(PostgresError) in
                                    for step in 0..<4 {
                                        if step == round % 4 { await pool.loseConnections() }
                                        _ = try await transaction.query(Self.process)
                                    }
                                }
                            }
                            ended += 1
                        }
                        return ended
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(ended == 8 * 60)
            let load = await pool.load
            #expect(load == [0, 0])
        }
    }

    @Test func `a statement of a transaction without a connection is answered at once`() async throws {
        try await withPool { pool in
            let answer: Exchange.Answer = await pool.answer(toStatementOf: -1)
            #expect(throws: PostgresError.unavailable) { try answer.get() }
        }
    }
}

extension PostgresPool {
    /// As if all of them had just ended.
    fileprivate func loseConnections() {
        for id in state.connectionIDs { update(id) { $0.lose() } }
    }

    fileprivate func answer(toStatementOf lease: Int) async -> Exchange.Answer {
        let buffer = ParameterBuffer(numbers: [])
        return await withUnsafeContinuation { continuation in
            let exchange = Exchange(Statements.ping, buffer, deadline: loop.now + patience) { continuation.resume(returning: $0) }
            submit(exchange, in: lease)
        }
    }
}
