import Postgres

extension Schema {
    /// The secret that a client had before, which stays good for a while after a rotation.
    static let secretOverlap = Migration(
        version: 8,
        name: "secret_overlap",
        sql: """
            ALTER TABLE clients
                ADD COLUMN previous_secret_digest bytea
                    CONSTRAINT clients_previous_secret_digest_length CHECK (octet_length(previous_secret_digest) = 32),
                ADD COLUMN previous_secret_ends_at timestamptz,
                ADD CONSTRAINT clients_previous_secret_ends
                    CHECK ((previous_secret_digest IS NULL) = (previous_secret_ends_at IS NULL));
            """)
}
