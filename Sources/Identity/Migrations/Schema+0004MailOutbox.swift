import Postgres

extension Schema {
    /// Mail that is to be sent.
    static let mailOutbox = Migration(
        version: 4,
        name: "mail_outbox",
        sql: """
            CREATE TABLE mail_outbox (
                id uuid PRIMARY KEY,
                user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                kind text NOT NULL,
                recipient text NOT NULL,
                language text NOT NULL,
                -- With the link, which is a secret: encrypted, bound to the id.
                sealed_content bytea NOT NULL,
                created_at timestamptz NOT NULL,
                -- Of no use to anybody afterwards.
                expires_at timestamptz NOT NULL,
                attempts integer NOT NULL DEFAULT 0,
                next_attempt_at timestamptz NOT NULL,
                sent_at timestamptz
            );

            CREATE INDEX mail_outbox_due ON mail_outbox (next_attempt_at) WHERE sent_at IS NULL;

            CREATE INDEX mail_outbox_by_user ON mail_outbox (user_id, kind, created_at);
            """)
}
