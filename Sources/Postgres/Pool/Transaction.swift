/// What to do when another transaction was in the way: a serialization failure or a deadlock.
package enum ConflictPolicy: Sendable {
    case fail
    /// Run the body again, up to three times in all. It must have no effect outside the transaction.
    case retry

    var attempts: Int {
        switch self {
        case .fail: 1
        case .retry: 3
        }
    }
}

/// A transaction in progress: what its body queries with. Of no use once the body has returned.
package struct Transaction: Sendable {
    let pool: PostgresPool
    let lease: Int

    /// Runs a statement within the transaction.
    /// - Throws: `PostgresError`. After one that the server sent, the transaction can only be rolled back.
    package func query(_ statement: Statement, _ parameters: [PostgresValue] = []) async throws(PostgresError) -> Rows {
        try await pool.query(statement, parameters, in: lease)
    }
}

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

    /// Ends a transaction and its lease; nil when that was done.
    private func end(_ id: Int, with statement: Statement) async -> PostgresError? {
        defer { release(id) }
        guard let lease = state.lease(id) else { return .unavailable }
        guard lease.hasBegun else { return nil }
        do throws(PostgresError) {
            let tag = try await query(statement, [], in: id).result.commandTag
            // PostgreSQL answers the commit of a failed transaction with a rollback, and calls it no error.
            return tag == statement.sql ? nil : .server(sqlState: "25P02", constraint: nil)
        } catch {
            return error
        }
    }
}
