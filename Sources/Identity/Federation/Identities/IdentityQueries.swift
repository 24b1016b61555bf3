package import Postgres

/// The SQL of the identities table, and of what users and identities have to do with each other.
package enum IdentityQueries {
    /// In this order: provider, subject, user_id, audience, email, email_verified, is_private_email, created_at, last_used_at.
    private static let columns: SQL = """
        provider, subject, user_id::text, audience, email, email_verified, is_private_email,
        (extract(epoch FROM created_at) * 1000)::bigint, (extract(epoch FROM last_used_at) * 1000)::bigint
        """

    /// Notes that an identity is used, and what its provider says by now; an address that it no longer tells is kept. Parameters:
    /// provider, subject, audience, email or null, email_verified, is_private_email, last_used_at. Returns the id of its user.
    package static let use = Statement(
        name: "identities_use",
        sql: """
            UPDATE identities
            SET audience = $3::text, email = coalesce($4::text, email),
                email_verified = CASE WHEN $4::text IS NULL THEN email_verified ELSE $5::boolean END,
                is_private_email = CASE WHEN $4::text IS NULL THEN is_private_email ELSE $6::boolean END,
                last_used_at = greatest(last_used_at, to_timestamp($7::bigint / 1000.0))
            WHERE provider = $1::text AND subject = $2::text
            RETURNING user_id::text
            """)

    /// Whether the provider has told us not to take its word for this person now, or not what it said before. A minute is given for
    /// clocks that differ. Parameters: provider, subject, when the proof was issued, or null.
    package static let isBarred = Statement(
        name: "identities_is_barred",
        sql: """
            SELECT blocked_at IS NOT NULL
                OR coalesce(to_timestamp($3::bigint / 1000.0) < proofs_void_before - interval '60 seconds', false)
            FROM identities
            WHERE provider = $1::text AND subject = $2::text
            """, retryable: true)

    /// Parameter: user_id. Oldest first.
    package static let ofUser = Statement(
        name: "identities_of_user",
        sql: "SELECT \(columns) FROM identities WHERE user_id = $1::uuid ORDER BY created_at, provider, subject",
        retryable: true)

    /// Parameters: provider, subject, user_id, audience, email or null, email_verified, is_private_email, created_at.
    package static let insert = Statement(
        name: "identities_insert",
        sql: """
            INSERT INTO identities (
                provider, subject, user_id, audience, email, email_verified, is_private_email, created_at, last_used_at
            )
            VALUES (
                $1::text, $2::text, $3::uuid, $4::text, $5::text, $6::boolean, $7::boolean, to_timestamp($8::bigint / 1000.0),
                to_timestamp($8::bigint / 1000.0)
            )
            """)

    /// The same, if the user has the credentials_version of the ninth parameter, is not disabled and, if there is a tenth, has shown to
    /// own this normalised e-mail address. The user's row is locked against whoever is about to end all that opens the account. No row
    /// comes back when that is not so.
    package static let insertForUser = Statement(
        name: "identities_insert_for_user",
        sql: """
            WITH owner AS (
                SELECT id FROM users
                WHERE id = $3::uuid AND disabled_at IS NULL AND credentials_version = $9::bigint
                    AND ($10::text IS NULL OR (email_verified AND email_normalized = $10::text))
                FOR SHARE
            )
            INSERT INTO identities (
                provider, subject, user_id, audience, email, email_verified, is_private_email, created_at, last_used_at
            )
            SELECT $1::text, $2::text, id, $4::text, $5::text, $6::boolean, $7::boolean, to_timestamp($8::bigint / 1000.0),
                to_timestamp($8::bigint / 1000.0)
            FROM owner
            RETURNING user_id::text
            """)
}
