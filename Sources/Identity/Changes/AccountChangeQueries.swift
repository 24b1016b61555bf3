import Postgres

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

    /// Nothing is entered while the user has so many of the kind within a duration that are not undone: the link of the oldest of them
    /// undoes all. Those that are undone have no link any more that is good for anything.
    /// Parameters: time, id, user_id, kind, code_digest, sealed_before, for how long it can be undone, how many, within which duration.
    /// Returns the id.
    static let insert = Statement(
        name: "account_changes_insert",
        sql: """
            INSERT INTO account_changes (id, user_id, kind, code_digest, sealed_before, created_at, expires_at)
            SELECT $2::uuid, $3::uuid, $4::text, $5::bytea, $6::bytea, \(SQL.now), \(SQL.now) + $7::bigint * \(SQL.milliseconds)
            WHERE (
                SELECT count(*) FROM account_changes
                WHERE user_id = $3::uuid AND kind = $4::text AND undone_at IS NULL
                    AND created_at > \(SQL.now) - $9::bigint * \(SQL.milliseconds)
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

    /// Parameters: time, user_id, how many. Returns the changes that can be undone, the oldest first.
    static let undoable = Statement(
        name: "account_changes_undoable",
        sql: """
            SELECT \(columns) FROM account_changes
            WHERE user_id = $2::uuid AND undone_at IS NULL AND expires_at > \(SQL.now) ORDER BY number LIMIT $3::bigint
            """)

    /// Whoever else has an address, held. Parameters: normalised address, id of the user who is to have it. Returns the id, and whether
    /// the address was proved.
    static let holder = Statement(
        name: "account_changes_holder",
        sql: """
            SELECT id::text, email_verified FROM users WHERE email_normalized = $1::text AND id <> $2::uuid AND NOT email_claimed
            FOR UPDATE
            """)

    /// Takes an address that nobody has proved from a user, who only claims it from then on. Parameters: id, updated_at.
    static let releaseAddress = Statement(
        name: "account_changes_release_address",
        sql: """
            UPDATE users SET email_claimed = true, updated_at = to_timestamp($2::bigint / 1000.0)
            WHERE id = $1::uuid AND NOT email_verified
            """)

    /// The change and all that are newer are undone. Parameters: time, user_id, id.
    static let markUndone = Statement(
        name: "account_changes_mark_undone",
        sql: """
            UPDATE account_changes SET undone_at = \(SQL.now)
            WHERE user_id = $2::uuid AND undone_at IS NULL
                AND number >= (SELECT number FROM account_changes WHERE id = $3::uuid)
            """)

    /// Parameters: time, how many.
    static let sweep = Statement(
        name: "account_changes_sweep",
        sql: """
            DELETE FROM account_changes WHERE id IN (
                SELECT id FROM account_changes WHERE expires_at <= \(SQL.now) LIMIT $2::bigint FOR UPDATE SKIP LOCKED
            )
            """)
}
