import Postgres

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
