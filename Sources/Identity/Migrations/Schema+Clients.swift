import Postgres

extension Schema {
    /// Who may ask for tokens, and who may introspect: the metadata of RFC 7591 and what goes beyond it.
    static let clients = Migration(
        version: 2,
        name: "clients",
        sql: """
            CREATE TABLE clients (
                id text PRIMARY KEY,
                name text NOT NULL,
                kind text NOT NULL
                    CONSTRAINT clients_kind CHECK (kind IN ('web', 'native', 'spa', 'service', 'device', 'resource_server')),
                -- Beyond the grants of OAuth: introspect, sign_in.
                permissions text[] NOT NULL,
                grant_types text[] NOT NULL DEFAULT '{}',
                response_types text[] NOT NULL DEFAULT '{}',
                is_first_party boolean NOT NULL DEFAULT false,

                token_endpoint_auth_method text NOT NULL
                    CONSTRAINT clients_token_endpoint_auth_method
                    CHECK (token_endpoint_auth_method IN ('none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt')),
                secret_digest bytea CONSTRAINT clients_secret_digest_length CHECK (octet_length(secret_digest) = 32),
                -- The secret before, which stays good for a while after a rotation, and how often it is still used.
                previous_secret_digest bytea
                    CONSTRAINT clients_previous_secret_digest_length CHECK (octet_length(previous_secret_digest) = 32),
                previous_secret_ends_at timestamptz,
                previous_secret_uses bigint NOT NULL DEFAULT 0,
                previous_secret_used_at timestamptz,
                -- A JSON Web Key Set, or where it is.
                jwks jsonb,
                jwks_uri text,

                redirect_uris text[] NOT NULL DEFAULT '{}',
                post_logout_redirect_uris text[] NOT NULL DEFAULT '{}',
                frontchannel_logout_uri text,
                frontchannel_logout_session_required boolean NOT NULL DEFAULT false,
                backchannel_logout_uri text,
                backchannel_logout_session_required boolean NOT NULL DEFAULT false,

                scopes text[] NOT NULL,
                audiences text[] NOT NULL,
                require_pkce boolean NOT NULL DEFAULT true,
                dpop_bound_access_tokens boolean NOT NULL DEFAULT false,
                rotates_refresh_tokens boolean NOT NULL DEFAULT false,
                access_token_format text NOT NULL
                    CONSTRAINT clients_access_token_format CHECK (access_token_format IN ('opaque', 'jwt_es256', 'jwt_rs256')),
                id_token_signed_response_alg text NOT NULL DEFAULT 'RS256'
                    CONSTRAINT clients_id_token_signed_response_alg CHECK (id_token_signed_response_alg IN ('RS256', 'ES256')),
                access_token_seconds bigint NOT NULL CONSTRAINT clients_access_token_seconds CHECK (access_token_seconds > 0),
                session_idle_seconds bigint NOT NULL CONSTRAINT clients_session_idle_seconds CHECK (session_idle_seconds > 0),
                session_absolute_seconds bigint NOT NULL
                    CONSTRAINT clients_session_absolute_seconds CHECK (session_absolute_seconds >= session_idle_seconds),

                client_uri text,
                logo_uri text,
                policy_uri text,
                tos_uri text,
                contacts text[] NOT NULL DEFAULT '{}',

                -- Of the token that manages a client which has registered itself (RFC 7592 §3); of a client without, an operator has added it.
                registration_token_digest bytea
                    CONSTRAINT clients_registration_token_digest_length CHECK (octet_length(registration_token_digest) = 32),
                disabled_at timestamptz,
                created_at timestamptz NOT NULL,
                updated_at timestamptz NOT NULL,
                CONSTRAINT clients_previous_secret_ends CHECK ((previous_secret_digest IS NULL) = (previous_secret_ends_at IS NULL)),
                CONSTRAINT clients_secret CHECK ((secret_digest IS NOT NULL) = (token_endpoint_auth_method LIKE 'client_secret_%')),
                CONSTRAINT clients_keys CHECK ((token_endpoint_auth_method <> 'private_key_jwt') OR (jwks IS NOT NULL) <> (jwks_uri IS NOT NULL))
            );
            """)
}

extension Schema {
    /// What the claims of UserInfo are signed with for a client; null for JSON.
    static let userInfoSignatures = Migration(
        version: 8,
        name: "userinfo_signatures",
        sql: """
            ALTER TABLE clients ADD COLUMN userinfo_signed_response_alg text
                CONSTRAINT clients_userinfo_signed_response_alg CHECK (userinfo_signed_response_alg IN ('RS256', 'ES256'));
            """)
}

extension Schema {
    /// What users have allowed clients to get.
    static let consents = Migration(
        version: 7,
        name: "consents",
        sql: """
            CREATE TABLE consents (
                user_id uuid NOT NULL CONSTRAINT consents_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
                client_id text NOT NULL CONSTRAINT consents_client_id_fkey REFERENCES clients (id) ON DELETE CASCADE,
                scopes text[] NOT NULL,
                granted_at timestamptz NOT NULL,
                PRIMARY KEY (user_id, client_id)
            );

            CREATE INDEX consents_by_client ON consents (client_id);
            """)
}
