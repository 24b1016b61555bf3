import Postgres

extension Schema {
    /// Who still uses the secret that a client had before.
    static let oldSecretUse = Migration(
        version: 13,
        name: "old_secret_use",
        sql: """
            ALTER TABLE clients
                ADD COLUMN previous_secret_uses bigint NOT NULL DEFAULT 0,
                ADD COLUMN previous_secret_used_at timestamptz;
            """)
}
