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
