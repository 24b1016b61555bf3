import Postgres

extension Schema {
    /// One table of work that waits, in the place of that of mails and that of revocations.
    static let jobs = Migration(
        version: 17,
        name: "jobs",
        sql: """
            CREATE TABLE jobs (
                -- What enters a job here in SQL has no id of version 7 at hand.
                id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
                kind text NOT NULL,
                topic text NOT NULL DEFAULT '',
                -- With whom the job goes. One that outlives its user names nobody here.
                user_id uuid CONSTRAINT jobs_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
                payload jsonb NOT NULL DEFAULT '{}',
                -- What is secret: encrypted by whoever enters it, bound to what it belongs to.
                sealed bytea,
                created_at timestamptz NOT NULL DEFAULT statement_timestamp(),
                due_at timestamptz NOT NULL DEFAULT '-infinity',
                -- Of no use to anybody from then on.
                gives_up_at timestamptz,
                attempts bigint NOT NULL DEFAULT 0,
                -- Of claims. It never falls, so that a copy whose lease is over cannot decide any more.
                turn bigint NOT NULL DEFAULT 0,
                leased_until timestamptz,
                done_at timestamptz,
                given_up_at timestamptz,
                last_failure text
            );

            CREATE INDEX jobs_due ON jobs (kind, due_at) WHERE done_at IS NULL AND given_up_at IS NULL;

            CREATE INDEX jobs_by_end ON jobs (gives_up_at) WHERE done_at IS NULL AND given_up_at IS NULL;

            CREATE INDEX jobs_done ON jobs (kind, done_at) WHERE done_at IS NOT NULL;

            CREATE INDEX jobs_given_up ON jobs (kind, given_up_at) WHERE given_up_at IS NOT NULL;

            CREATE INDEX jobs_by_user ON jobs (user_id, kind, topic, created_at) WHERE user_id IS NOT NULL;

            -- In the same transaction, be the identity deleted with its user or by hand.
            CREATE OR REPLACE FUNCTION queue_provider_revocations() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO jobs (kind, topic, payload, sealed)
                SELECT 'provider_revocation', provider, jsonb_build_object('subject', subject, 'client_id', client_id), sealed_token
                FROM provider_tokens
                WHERE provider = OLD.provider AND subject = OLD.subject;
                RETURN OLD;
            END
            $$;

            INSERT INTO jobs (id, kind, topic, payload, sealed, attempts, due_at, given_up_at, last_failure)
            SELECT id, 'provider_revocation', provider, jsonb_build_object('subject', subject, 'client_id', client_id),
                sealed_token, attempts, due_at, given_up_at, last_failure
            FROM provider_revocations;

            INSERT INTO jobs (
                id, kind, topic, user_id, payload, sealed, created_at, due_at, gives_up_at, attempts, done_at, given_up_at,
                last_failure
            )
            SELECT id, 'mail', kind, user_id, jsonb_build_object('recipient', recipient, 'language', language), sealed_content,
                created_at, next_attempt_at, expires_at, attempts, sent_at, given_up_at, last_failure
            FROM mail_outbox;

            DROP TABLE provider_revocations;

            DROP TABLE mail_outbox;
            """)
}
