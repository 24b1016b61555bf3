import Testing

@testable import Postgres

@Suite struct SQLTests {
    @Test func `texts share pieces that are SQL themselves`() {
        let columns: SQL = "id, email"
        let statement = Statement(name: "find", sql: "SELECT \(columns) FROM users WHERE id = $1")
        #expect(statement.sql == "SELECT id, email FROM users WHERE id = $1")
    }
}
