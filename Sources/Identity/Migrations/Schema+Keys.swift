import Postgres

extension Schema {
    /// The keys that sign tokens, and which master keys are in use.
    static let keys = Migration(
        version: 3,
        name: "keys",
        sql: """
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

            -- Which master keys copies run with, by their ids: the one that seals, and the other one that is accepted, or nothing.
            CREATE TABLE master_key_uses (
                seals text NOT NULL,
                accepts text NOT NULL DEFAULT '',
                first_seen_at timestamptz NOT NULL,
                last_seen_at timestamptz NOT NULL,
                CONSTRAINT master_key_uses_pkey PRIMARY KEY (seals, accepts)
            );
            """)
}
