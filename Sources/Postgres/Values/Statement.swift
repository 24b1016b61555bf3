/// An SQL statement that is prepared once on each connection.
///
/// Name and text are literals of the source: there is no way to build SQL out of data.
package struct Statement: Sendable {
    /// PostgreSQL's limit on a name, in bytes.
    private static let nameLimit = 63

    package let name: String
    package let sql: String
    /// Whether it may be sent once more when a connection dies before it has answered: it reads only.
    package let isRetryable: Bool

    /// - Parameters:
    ///   - name: unique in the process, at most 63 bytes.
    ///   - sql: one statement, its parameters written `$1`, `$2`, …; their types follow from their places.
    ///   - retryable: true for a statement that changes nothing.
    package init(name: StaticString, sql: SQL, retryable: Bool = false) {
        self.name = name.description
        self.sql = sql.text
        isRetryable = retryable
        precondition(1...Self.nameLimit ~= self.name.utf8.count, "a statement's name has 1 to 63 bytes")
    }
}

/// The statements that the pool itself sends.
enum Statements {
    static let ping = Statement(name: "kidoban_ping", sql: "SELECT 1", retryable: true)
    static let commit = Statement(name: "kidoban_commit", sql: "COMMIT")
    static let rollBack = Statement(name: "kidoban_rollback", sql: "ROLLBACK")
    /// Sent first on every connection: the server's own bounds, in milliseconds. Not among the start-up options, where they
    /// would replace the connection string's and where poolers refuse them.
    static let setUp = Statement(
        name: "kidoban_setup",
        sql: """
            SELECT set_config('statement_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $2, false)
            """)
}
