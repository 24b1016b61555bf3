import Networking

extension PostgresPool {
    /// Runs `body` in a transaction of its own, on a connection of its own: commits when it returns, rolls back when it throws.
    ///
    /// Nothing is sent before the body's first query. A query of the body that does not go through its `Transaction` waits for
    /// another connection, perhaps in vain. The server ends a transaction that sends nothing for as long as a query's deadline.
    /// When the connection dies during the commit, the error is `unavailable` and whether it was made is not known.
    ///
    /// - Parameter onConflict: whether `body` may be run again when another transaction was in the way.
    /// - Throws: what `body` throws, or the failure to begin or to commit as the same type.
    package nonisolated func transaction<T, Failure: PostgresFailure>(
        isolation: IsolationLevel = .readCommitted, onConflict: ConflictPolicy = .fail,
        _ body: (Transaction) async throws(Failure) -> T
    ) async throws(Failure) -> T {
        var attemptsLeft = onConflict.attempts
        while true {
            attemptsLeft -= 1
            let transaction = try await begin(isolation, as: Failure.self)
            let failure: Failure
            let isConflict: Bool
            do throws(Failure) {
                let value = try await body(transaction)
                guard let error = await end(transaction.lease, with: Statements.commit) else { return value }
                failure = Failure(postgres: error)
                isConflict = error.isConflict
            } catch {
                failure = error
                isConflict = await sawConflict(transaction.lease)
                _ = await end(transaction.lease, with: Statements.rollBack)
            }
            guard isConflict, attemptsLeft > 0 else { throw failure }
        }
    }

    private nonisolated func begin<Failure: PostgresFailure>(
        _ isolation: IsolationLevel, as failure: Failure.Type
    ) async throws(Failure) -> Transaction {
        do throws(PostgresError) {
            return Transaction(pool: self, lease: try await lease(isolation))
        } catch {
            throw Failure(postgres: error)
        }
    }

    /// Waits for a connection of one's own, and returns the lease's id.
    private func lease(_ isolation: IsolationLevel) async throws(PostgresError) -> Int {
        let lease = Lease(id: makeID(), isolation: isolation)
        let start = loop.now
        defer { WaitTimes.add(.postgres, from: start, to: loop.now) }
        let deadline = start + configuration.deadline
        let answer: LeaseRequest.Answer = unsafe await withUnsafeContinuation { continuation in
            unsafe submit(.lease(LeaseRequest(lease, deadline: deadline, continuation: continuation)))
        }
        return try answer.get()
    }

    /// Runs a statement under a lease, the first one together with `BEGIN`.
    func query(
        _ statement: Statement, _ parameters: [PostgresValue], in id: Int
    ) async throws(PostgresError) -> Rows {
        let buffer = try ParameterBuffer(parameters)
        let start = loop.now
        defer { WaitTimes.add(.postgres, from: start, to: loop.now) }
        let deadline = start + configuration.deadline
        let answer: Exchange.Answer = unsafe await withUnsafeContinuation { continuation in
            unsafe submit(
                Exchange(statement, buffer, deadline: deadline, continuation: continuation), in: id)
        }
        return try answer.get()
    }

    /// Sends a statement of a transaction, or fails it where the connection has died or the transaction is over. Nothing suspends between
    /// the look-up and the sending: an exchange on a connection that has gone would be answered by nobody.
    func submit(_ exchange: Exchange, in id: Int) {
        guard let connection = leased(id), !connection.isLost, let lease = connection.lease else {
            return exchange.finish(.failure(.unavailable))
        }
        if !lease.hasBegun { exchange.open(with: lease.isolation.opening) }
        lease.hasBegun = true
        send(exchange, on: connection)
        dispatch()
    }

    private func sawConflict(_ id: Int) -> Bool {
        leased(id)?.lease?.sawConflict ?? false
    }

    /// Ends a transaction and its lease; nil when that was done.
    private func end(_ id: Int, with statement: Statement) async -> PostgresError? {
        defer { release(id) }
        guard let lease = leased(id)?.lease else { return .unavailable }
        guard lease.hasBegun else { return nil }
        do throws(PostgresError) {
            let tag = try await query(statement, [], in: id).result.commandTag
            // PostgreSQL answers the commit of a failed transaction with a rollback, and calls it no error.
            return tag == statement.sql ? nil : .server(sqlState: "25P02", constraint: nil)
        } catch {
            return error
        }
    }

    private func release(_ id: Int) {
        guard let connection = leased(id) else { return }
        connection.use = .shared
        if !connection.isOutsideTransaction { connection.lose() }
        dispatch()
    }

    private func leased(_ id: Int) -> PostgresConnection? {
        connections.first { $0.lease?.id == id }
    }
}
