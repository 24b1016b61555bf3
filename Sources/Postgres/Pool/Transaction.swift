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
