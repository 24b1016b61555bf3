import Postgres

extension Schema {
    /// Addresses that an account only claims: they reserve nothing.
    static let claimedAddresses = Migration(
        version: 14,
        name: "claimed_addresses",
        sql: """
            ALTER TABLE users ADD COLUMN email_claimed boolean NOT NULL DEFAULT false;

            -- Accounts that a provider opened which does not vouch for the address.
            UPDATE users SET email_claimed = true
            WHERE NOT email_verified AND password_hash IS NULL
                AND EXISTS (SELECT 1 FROM identities WHERE identities.user_id = users.id);

            ALTER TABLE users
                ADD CONSTRAINT users_email_claimed CHECK (NOT (email_claimed AND email_verified)),
                DROP CONSTRAINT users_email_normalized_key;

            CREATE UNIQUE INDEX users_email_normalized_key ON users (email_normalized) WHERE NOT email_claimed;
            """)
}
