import Postgres

extension Schema {
    /// Changes of the ways into an account that can be undone by the link of a mail.
    static let accountChanges = Migration(
        version: 9,
        name: "account_changes",
        sql: """
            CREATE TABLE account_changes (
                id uuid PRIMARY KEY,
                -- The order of a user's changes.
                number bigint GENERATED ALWAYS AS IDENTITY,
                user_id uuid NOT NULL CONSTRAINT account_changes_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
                kind text NOT NULL,
                code_digest bytea NOT NULL CONSTRAINT account_changes_code_digest_key UNIQUE
                    CONSTRAINT account_changes_code_digest_length CHECK (octet_length(code_digest) = 32),
                -- The ways in as they were before: encrypted, bound to the id.
                sealed_before bytea NOT NULL,
                created_at timestamptz NOT NULL,
                expires_at timestamptz NOT NULL,
                undone_at timestamptz
            );

            CREATE INDEX account_changes_by_user ON account_changes (user_id, kind, created_at);

            CREATE INDEX account_changes_by_end ON account_changes (expires_at);
            """)
}
