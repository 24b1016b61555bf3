import Postgres

extension Schema {
    /// What became of mails.
    static let mailDelivery = Migration(
        version: 7,
        name: "mail_delivery",
        sql: """
            -- Of a mail that is over there is no link any more.
            ALTER TABLE mail_outbox ALTER COLUMN sealed_content DROP NOT NULL;

            -- When it was found that it cannot be sent, and why not.
            ALTER TABLE mail_outbox ADD COLUMN given_up_at timestamptz, ADD COLUMN last_failure text;

            DROP INDEX mail_outbox_due;

            CREATE INDEX mail_outbox_due ON mail_outbox (next_attempt_at) WHERE sent_at IS NULL AND given_up_at IS NULL;

            CREATE INDEX mail_outbox_by_age ON mail_outbox (created_at);
            """)
}
