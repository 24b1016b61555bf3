import Postgres

extension Schema {
    /// What the tokens of a client are good for, and whether its refresh tokens are for one use.
    static let clientTokens = Migration(
        version: 15,
        name: "client_tokens",
        sql: """
            ALTER TABLE clients
                ADD COLUMN scopes text[] NOT NULL DEFAULT ARRAY['openid', 'email', 'profile'],
                ADD COLUMN rotates_refresh_tokens boolean NOT NULL DEFAULT false;
            """)
}
