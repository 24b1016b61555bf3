import Postgres

extension Schema {
    /// Users, clients, signing keys and audit events.
    static let initial = Migration(
        version: 1,
        name: "initial",
        sql: """
            CREATE TABLE users (
                id uuid PRIMARY KEY,
                email text NOT NULL,
                email_normalized text NOT NULL CONSTRAINT users_email_normalized_key UNIQUE,
                email_verified boolean NOT NULL DEFAULT false,
                password_hash text,
                display_name text,
                photo_url text,
                settings jsonb NOT NULL DEFAULT '{}',
                claims jsonb NOT NULL DEFAULT '{}',
                credentials_version bigint NOT NULL DEFAULT 0,
                disabled_at timestamptz,
                created_at timestamptz NOT NULL,
                updated_at timestamptz NOT NULL,
                last_sign_in_at timestamptz
            );

            CREATE TABLE clients (
                id text PRIMARY KEY,
                name text NOT NULL,
                secret_digest bytea CONSTRAINT clients_secret_digest_length CHECK (octet_length(secret_digest) = 32),
                permissions text[] NOT NULL,
                audiences text[] NOT NULL,
                access_token_format text NOT NULL
                    CONSTRAINT clients_access_token_format CHECK (access_token_format IN ('opaque', 'jwt_es256', 'jwt_rs256')),
                access_token_seconds bigint NOT NULL CONSTRAINT clients_access_token_seconds CHECK (access_token_seconds > 0),
                session_idle_seconds bigint NOT NULL CONSTRAINT clients_session_idle_seconds CHECK (session_idle_seconds > 0),
                session_absolute_seconds bigint NOT NULL
                    CONSTRAINT clients_session_absolute_seconds CHECK (session_absolute_seconds >= session_idle_seconds),
                created_at timestamptz NOT NULL,
                updated_at timestamptz NOT NULL
            );

            CREATE TABLE signing_keys (
                kid text PRIMARY KEY,
                alg text NOT NULL CONSTRAINT signing_keys_alg CHECK (alg IN ('ES256', 'RS256')),
                sealed_private_key bytea NOT NULL,
                public_jwk jsonb NOT NULL,
                state text NOT NULL CONSTRAINT signing_keys_state CHECK (state IN ('next', 'active', 'retired')),
                created_at timestamptz NOT NULL,
                activated_at timestamptz,
                retired_at timestamptz
            );

            CREATE UNIQUE INDEX signing_keys_one_active ON signing_keys (alg) WHERE state = 'active';

            -- No reference to users: what happened to a user who is gone stays on record.
            CREATE TABLE audit_events (
                id uuid PRIMARY KEY,
                occurred_at timestamptz NOT NULL,
                kind text NOT NULL,
                outcome text NOT NULL CONSTRAINT audit_events_outcome CHECK (outcome IN ('succeeded', 'refused')),
                reason text,
                actor text NOT NULL,
                user_id uuid,
                client_id text,
                session_id text,
                address text,
                reference_id text,
                detail jsonb NOT NULL DEFAULT '{}'
            );

            CREATE INDEX audit_events_by_time ON audit_events (occurred_at);

            CREATE INDEX audit_events_by_user ON audit_events (user_id, occurred_at) WHERE user_id IS NOT NULL;
            """)
}
