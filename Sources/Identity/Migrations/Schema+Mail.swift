import Postgres

extension Schema {
    /// Mail that is to be sent.
    static let mail = Migration(
        version: 5,
        name: "mail",
        sql: """
            CREATE TABLE mail_outbox (
                id uuid PRIMARY KEY,
                user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                kind text NOT NULL,
                recipient text NOT NULL,
                language text NOT NULL,
                -- With the link, which is a secret: encrypted, bound to the id. Of a mail that is over there is none any more.
                sealed_content bytea,
                created_at timestamptz NOT NULL,
                -- Of no use to anybody afterwards.
                expires_at timestamptz NOT NULL,
                attempts integer NOT NULL DEFAULT 0,
                next_attempt_at timestamptz NOT NULL,
                sent_at timestamptz,
                -- When it was found that it cannot be sent, and why not.
                given_up_at timestamptz,
                last_failure text
            );

            CREATE INDEX mail_outbox_due ON mail_outbox (next_attempt_at) WHERE sent_at IS NULL AND given_up_at IS NULL;
            CREATE INDEX mail_outbox_by_user ON mail_outbox (user_id, kind, created_at);
            CREATE INDEX mail_outbox_by_age ON mail_outbox (created_at);
            -- By the master key that has sealed it, here and elsewhere.
            CREATE INDEX mail_outbox_by_seal ON mail_outbox (substring(sealed_content FROM 1 FOR 9)) WHERE sealed_content IS NOT NULL;
            """)
}
