import Crypto

/// One step of the schema. Once released it is never edited: a change is a new step.
package struct Migration: Sendable {
    /// From 1, ascending without gaps.
    package let version: Int
    package let name: String
    /// Statements that run together in one transaction.
    package let sql: String

    package init(version: Int, name: StaticString, sql: StaticString) {
        self.version = version
        self.name = name.description
        self.sql = sql.description
    }

    /// What a database notes of a step that it has gone through: the SHA-256 of the SQL in hexadecimal digits.
    var checksum: String { SHA256.hash(sql).hex }
}

/// A step that a database has gone through.
struct AppliedMigration: Equatable {
    let version: Int
    /// Whether its SQL was what this program has for it; nil when this program does not know the step.
    let isUnchanged: Bool?
}

extension [Migration] {
    /// The steps that are still to be gone through, in order.
    /// - Throws: `MigrationError.schemaNewer` or `.changed`.
    func pending(after applied: [AppliedMigration]) throws(MigrationError) -> [Migration] {
        let known = last?.version ?? 0
        if let newest = applied.map(\.version).max(), newest > known {
            throw .schemaNewer(found: newest, known: known)
        }
        for step in applied where step.isUnchanged != true { throw .changed(version: step.version) }
        let done = Set(applied.map(\.version))
        return filter { !done.contains($0.version) }
    }
}
