import Postgres

extension Schema {
    /// Work that waits: mails, revocations at providers, sessions to be ended again.
    static let jobs = Migration(
        version: 5,
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

            -- By the master key that has sealed it, here and elsewhere.
            CREATE INDEX jobs_by_seal ON jobs (substring(sealed FROM 1 FOR 9)) WHERE sealed IS NOT NULL;
            """)
}
