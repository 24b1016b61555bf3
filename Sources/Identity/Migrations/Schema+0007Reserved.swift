import Postgres

extension Schema {
    /// Keeps the number, for steps are numbered without gaps.
    static let reserved = Migration(version: 7, name: "reserved", sql: "SELECT 1")
}
