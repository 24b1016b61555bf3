import Testing

@testable import Postgres

@Suite struct PendingMigrationsTests {
    private let known = [
        Migration(version: 1, name: "one", sql: "SELECT 1"),
        Migration(version: 2, name: "two", sql: "SELECT 2"),
        Migration(version: 3, name: "three", sql: "SELECT 3"),
    ]

    @Test(arguments: 0...3)
    func `what has been applied is not pending`(count: Int) throws {
        let applied = (1..<count + 1).map { AppliedMigration(version: $0, isUnchanged: true) }
        #expect(try known.pending(after: applied).map(\.version) == Array(count + 1..<4))
    }

    @Test func `a newer schema is refused`() {
        let applied = (1...5).map { AppliedMigration(version: $0, isUnchanged: $0 < 4 ? true : nil) }
        #expect(throws: MigrationError.schemaNewer(found: 5, known: 3)) { try known.pending(after: applied) }
    }

    @Test func `a migration that has been edited is refused`() {
        let applied = [AppliedMigration(version: 1, isUnchanged: true), AppliedMigration(version: 2, isUnchanged: false)]
        #expect(throws: MigrationError.changed(version: 2)) { try known.pending(after: applied) }
    }
}
