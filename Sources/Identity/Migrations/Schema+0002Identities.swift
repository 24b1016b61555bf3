import Postgres

extension Schema {
    /// The identities that users have at providers.
    static let identities = Migration(
        version: 2,
        name: "identities",
        sql: """
            CREATE TABLE identities (
                provider text NOT NULL,
                subject text NOT NULL,
                user_id uuid NOT NULL CONSTRAINT identities_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
                audience text NOT NULL,
                email text,
                email_verified boolean NOT NULL DEFAULT false,
                is_private_email boolean NOT NULL DEFAULT false,
                created_at timestamptz NOT NULL,
                last_used_at timestamptz NOT NULL,
                CONSTRAINT identities_pkey PRIMARY KEY (provider, subject)
            );

            CREATE INDEX identities_by_user ON identities (user_id, created_at);
            """)
}
