import Postgres

extension Schema {
    /// When the code of a sign-up's mail proved an address, and nothing else had before.
    static let confirmations = Migration(
        version: 16,
        name: "confirmations",
        sql: "ALTER TABLE users ADD COLUMN email_confirmed_at timestamptz;")
}
