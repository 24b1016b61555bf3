import Postgres

/// The SQL that gives an account another address, or all that opened it before.
extension HeldUserQueries {
    /// Parameters: user_id, the array that `AccountState` reads.
    static let removeNewIdentities = HeldStatement(
        name: "account_changes_remove_identities",
        sql: """
            DELETE FROM identities WHERE user_id = $1::uuid AND NOT EXISTS (
                SELECT 1 FROM jsonb_to_recordset($2::jsonb) AS before (provider text, subject text)
                WHERE before.provider = identities.provider AND before.subject = identities.subject
            )
            """)

    /// One that somebody else has by now stays with them; one that comes back takes a new proof. Parameters: user_id, the array of
    /// `identities`, the instant.
    static let restoreIdentities = HeldStatement(
        name: "account_changes_restore_identities",
        sql: """
            INSERT INTO identities (
                provider, subject, user_id, audience, email, email_verified, is_private_email, created_at, last_used_at, blocked_at,
                proofs_void_before
            )
            SELECT provider, subject, $1::uuid, audience, email, email_verified, is_private_email,
                to_timestamp(created_at / 1000.0), to_timestamp(created_at / 1000.0), to_timestamp(blocked_at / 1000.0),
                to_timestamp($3::bigint / 1000.0)
            FROM jsonb_to_recordset($2::jsonb) AS before (
                provider text, subject text, audience text, email text, email_verified boolean, is_private_email boolean,
                created_at bigint, blocked_at bigint
            )
            ON CONFLICT (provider, subject) DO NOTHING
            """)

    /// Parameters: id, email, email_normalized, whether the password stays, whether the address is only claimed from now on.
    static let restore = HeldStatement(
        name: "account_changes_restore_user",
        sql: """
            UPDATE users
            SET email = $2::text, email_normalized = $3::text, email_verified = NOT $5::boolean, email_claimed = $5::boolean,
                password_hash = CASE WHEN $4::boolean THEN password_hash END
            WHERE id = $1::uuid
            """)

    /// Puts another address in the place of the user's. Parameters: id, email, email_normalized, whether it is proved.
    static let changeAddress = HeldStatement(
        name: "account_changes_change_address",
        sql: """
            UPDATE users SET email = $2::text, email_normalized = $3::text, email_verified = $4::boolean, email_claimed = false
            WHERE id = $1::uuid
            """)
}
