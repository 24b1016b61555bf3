import Postgres

extension Schema {
    /// Identities at providers, the providers' tokens and their revocation, and what providers told us.
    ///
    /// A trigger queues revocations, so that whatever deletes an identity, be it with its user, be it by hand, revokes its tokens, in the
    /// same transaction.
    static let providers = Migration(
        version: 6,
        name: "providers",
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
                mail_forwarding boolean,
                mail_forwarding_changed_at timestamptz,
                blocked_at timestamptz,
                proofs_void_before timestamptz,
                -- When the provider says that it blocked or unblocked the identity for the last time. Notices may arrive in any order.
                standing_changed_at timestamptz,
                CONSTRAINT identities_pkey PRIMARY KEY (provider, subject)
            );

            CREATE INDEX identities_by_user ON identities (user_id, created_at);

            CREATE TABLE provider_tokens (
                provider text NOT NULL,
                subject text NOT NULL,
                client_id text NOT NULL,
                sealed_token bytea NOT NULL,
                obtained_at timestamptz NOT NULL,
                PRIMARY KEY (provider, subject, client_id),
                CONSTRAINT provider_tokens_identity
                    FOREIGN KEY (provider, subject) REFERENCES identities (provider, subject) ON DELETE CASCADE
            );

            CREATE INDEX provider_tokens_by_seal ON provider_tokens (substring(sealed_token FROM 1 FOR 9));

            CREATE FUNCTION queue_provider_revocations() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO jobs (kind, topic, payload, sealed)
                SELECT 'provider_revocation', provider, jsonb_build_object('subject', subject, 'client_id', client_id), sealed_token
                FROM provider_tokens
                WHERE provider = OLD.provider AND subject = OLD.subject;
                RETURN OLD;
            END
            $$;

            CREATE TRIGGER identities_queue_revocations BEFORE DELETE ON identities
                FOR EACH ROW EXECUTE FUNCTION queue_provider_revocations();

            CREATE TABLE provider_notices (
                digest bytea PRIMARY KEY CONSTRAINT provider_notices_digest_length CHECK (octet_length(digest) = 32),
                received_at timestamptz NOT NULL
            );

            CREATE INDEX provider_notices_by_time ON provider_notices (received_at);

            CREATE TABLE provider_key_sets (
                provider text PRIMARY KEY,
                url text NOT NULL,
                -- Public keys: a JSON Web Key Set.
                keys bytea NOT NULL,
                lifetime interval NOT NULL,
                fetched_at timestamptz NOT NULL
            );
            """)
}
