import Postgres

/// A statement that changes what opens an account. It runs on a user who is held, and in no other way: so nobody can forget that sessions
/// end with it.
struct HeldStatement: Sendable {
    private let statement: Statement

    init(name: StaticString, sql: SQL) {
        statement = Statement(name: name, sql: sql)
    }

    func run(on held: HeldUser, _ parameters: [PostgresValue]) async throws(PostgresError) -> Rows {
        try await held.transaction.query(statement, parameters)
    }
}
