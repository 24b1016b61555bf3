import Postgres

/// The SQL of what providers tell us. Instants are milliseconds since the epoch.
enum NoticeQueries {
    /// Parameter: digest. Returns whether such a notice has been dealt with.
    static let isKnown = Statement(
        name: "provider_notices_known",
        sql: "SELECT EXISTS (SELECT 1 FROM provider_notices WHERE digest = $1::bytea)", retryable: true)

    /// Parameters: digest, received_at.
    static let remember = Statement(
        name: "provider_notices_remember",
        sql: """
            INSERT INTO provider_notices (digest, received_at) VALUES ($1::bytea, to_timestamp($2::bigint / 1000.0))
            ON CONFLICT (digest) DO NOTHING
            """)

    /// Parameter: the latest received_at to delete.
    static let forget = Statement(
        name: "provider_notices_forget",
        sql: "DELETE FROM provider_notices WHERE received_at <= to_timestamp($1::bigint / 1000.0)")

    /// Parameters: provider, subject. Returns the user's id.
    static let user = Statement(
        name: "provider_notices_user",
        sql: "SELECT user_id::text FROM identities WHERE provider = $1::text AND subject = $2::text", retryable: true)

    /// Unless a later change is known. Parameters: provider, subject, mail_forwarding, mail_forwarding_changed_at.
    static let setMailForwarding = Statement(
        name: "provider_notices_set_mail_forwarding",
        sql: """
            UPDATE identities
            SET mail_forwarding = $3::boolean, mail_forwarding_changed_at = to_timestamp($4::bigint / 1000.0)
            WHERE provider = $1::text AND subject = $2::text
                AND coalesce(mail_forwarding_changed_at, '-infinity') <= to_timestamp($4::bigint / 1000.0)
            """)

    /// Sign-ins that are under way end as void, as after a change of password. Parameters: provider, subject, the instant.
    static let requireNewProof = Statement(
        name: "provider_notices_require_new_proof",
        sql: """
            WITH identity AS (
                UPDATE identities
                SET proofs_void_before = greatest(proofs_void_before, to_timestamp($3::bigint / 1000.0))
                WHERE provider = $1::text AND subject = $2::text
                RETURNING user_id
            )
            UPDATE users SET credentials_version = credentials_version + 1 WHERE id = (SELECT user_id FROM identity)
            """)

    /// The same. Parameters: provider, subject, the instant.
    static let block = Statement(
        name: "provider_notices_block",
        sql: """
            WITH identity AS (
                UPDATE identities SET blocked_at = coalesce(blocked_at, to_timestamp($3::bigint / 1000.0))
                WHERE provider = $1::text AND subject = $2::text
                RETURNING user_id
            )
            UPDATE users SET credentials_version = credentials_version + 1 WHERE id = (SELECT user_id FROM identity)
            """)

    /// Parameters: provider, subject.
    static let unblock = Statement(
        name: "provider_notices_unblock",
        sql: "UPDATE identities SET blocked_at = NULL WHERE provider = $1::text AND subject = $2::text")

    /// Locks the identity's user against every other change. Parameters: provider, subject. Returns the user's id.
    static let lockUser = Statement(
        name: "provider_notices_lock_user",
        sql: """
            SELECT users.id::text FROM users JOIN identities ON identities.user_id = users.id
            WHERE identities.provider = $1::text AND identities.subject = $2::text
            FOR UPDATE OF users
            """)

    /// Parameters: provider, subject, user_id, the providers that are switched on. Returns whether the user has another way in.
    static let hasAnotherWay = Statement(
        name: "provider_notices_another_way",
        sql: """
            SELECT password_hash IS NOT NULL OR EXISTS (
                SELECT 1 FROM identities
                WHERE user_id = $3::uuid AND (provider, subject) <> ($1::text, $2::text) AND provider = ANY ($4::text[])
            )
            FROM users WHERE id = $3::uuid
            """)

    /// Parameters: provider, subject.
    static let unlink = Statement(
        name: "provider_notices_unlink", sql: "DELETE FROM identities WHERE provider = $1::text AND subject = $2::text")
}
