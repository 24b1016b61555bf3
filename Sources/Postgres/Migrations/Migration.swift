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
}
