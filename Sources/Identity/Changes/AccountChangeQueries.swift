package import Postgres

/// The SQL of changes that can be undone. The first parameter is a `StatementTime`'s where a statement asks for the time; durations are in
/// milliseconds.
package enum AccountChangeQueries {
    /// Holds the user against every other change. Parameter: id. Returns the user and, as two more columns, the password hash or null and
    /// the identities as one JSON array.
    static let lockUser = Statement(
        name: "account_changes_lock_user",
        sql: "SELECT \(UserQueries.columns), password_hash, \(identities) FROM users WHERE id = $1::uuid FOR UPDATE")

    private static let identities: SQL = """
        (SELECT coalesce(json_agg(json_build_object(
            'provider', provider, 'subject', subject, 'audience', audience, 'email', email, 'email_verified', email_verified,
            'is_private_email', is_private_email, 'created_at', (extract(epoch FROM created_at) * 1000)::bigint,
            'blocked_at', (extract(epoch FROM blocked_at) * 1000)::bigint) ORDER BY created_at, provider, subject), '[]')::text
        FROM identities WHERE user_id = users.id)
        """

    /// Nothing is entered while the user has so many of the kind within a duration: the link of the oldest of them undoes all.
    /// Parameters: time, id, user_id, kind, code_digest, sealed_before, for how long it can be undone, how many, within which duration.
    /// Returns the id.
    static let insert = Statement(
        name: "account_changes_insert",
        sql: """
            INSERT INTO account_changes (id, user_id, kind, code_digest, sealed_before, created_at, expires_at)
            SELECT $2::uuid, $3::uuid, $4::text, $5::bytea, $6::bytea, \(SQL.now), \(SQL.now) + $7::bigint * \(SQL.milliseconds)
            WHERE (
                SELECT count(*) FROM account_changes
                WHERE user_id = $3::uuid AND kind = $4::text AND created_at > \(SQL.now) - $9::bigint * \(SQL.milliseconds)
            ) < $8::bigint
            RETURNING id::text
            """)

    private static let columns: SQL = """
        id::text, user_id::text, kind, (extract(epoch FROM created_at) * 1000)::bigint, undone_at IS NOT NULL, sealed_before
        """

    /// Parameters: time, code_digest. Returns the change unless it is too old to be undone.
    static let byCode = Statement(
        name: "account_changes_by_code",
        sql: "SELECT \(columns) FROM account_changes WHERE code_digest = $2::bytea AND expires_at > \(SQL.now)",
        retryable: true)

    /// Parameters: user_id, the array of `identities`.
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

    /// Whoever else has an address, held. Parameters: normalised address, id of the user who is to have it. Returns the id, and whether
    /// the address was proved.
    static let holder = Statement(
        name: "account_changes_holder",
        sql: """
            SELECT id::text, email_verified FROM users WHERE email_normalized = $1::text AND id <> $2::uuid FOR UPDATE
            """)

    /// Parameters: id, email, email_normalized, whether the password stays, whether the user is barred from now on, updated_at.
    static let restoreUser = HeldStatement(
        name: "account_changes_restore_user",
        sql: """
            UPDATE users
            SET email = $2::text, email_normalized = $3::text, email_verified = true,
                password_hash = CASE WHEN $4::boolean THEN password_hash END,
                disabled_at = CASE WHEN $5::boolean THEN to_timestamp($6::bigint / 1000.0) ELSE disabled_at END
            WHERE id = $1::uuid
            """)

    /// Takes an address that nobody has proved from a user, who keeps the account. Parameters: id, what stands in its place, updated_at.
    static let releaseAddress = Statement(
        name: "account_changes_release_address",
        sql: """
            UPDATE users
            SET email = $2::text, email_normalized = $2::text, updated_at = to_timestamp($3::bigint / 1000.0)
            WHERE id = $1::uuid
            """)

    /// The change and all that are newer are undone. Parameters: time, user_id, id.
    static let markUndone = Statement(
        name: "account_changes_mark_undone",
        sql: """
            UPDATE account_changes SET undone_at = \(SQL.now)
            WHERE user_id = $2::uuid AND undone_at IS NULL
                AND number >= (SELECT number FROM account_changes WHERE id = $3::uuid)
            """)

    /// Nothing of a user's can be undone any more. Parameter: user_id.
    package static let forgetOfUser = Statement(
        name: "account_changes_forget_of_user", sql: "DELETE FROM account_changes WHERE user_id = $1::uuid")

    /// Parameters: time, how many.
    static let sweep = Statement(
        name: "account_changes_sweep",
        sql: """
            DELETE FROM account_changes WHERE id IN (
                SELECT id FROM account_changes WHERE expires_at <= \(SQL.now) LIMIT $2::bigint FOR UPDATE SKIP LOCKED
            )
            """)

    /// Puts a proved address in the place of the user's. Parameters: id, email, email_normalized.
    static let changeAddress = HeldStatement(
        name: "account_changes_change_address",
        sql: """
            UPDATE users SET email = $2::text, email_normalized = $3::text, email_verified = true WHERE id = $1::uuid
            """)
}
