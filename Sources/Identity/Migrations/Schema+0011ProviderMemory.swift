import Postgres

extension Schema {
    /// What is remembered of providers: their keys, and in which order they told us of an identity.
    static let providerMemory = Migration(
        version: 11,
        name: "provider_memory",
        sql: """
            -- When the provider says that it blocked or unblocked the identity for the last time. Notices may arrive in any order.
            ALTER TABLE identities ADD COLUMN standing_changed_at timestamptz;

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
