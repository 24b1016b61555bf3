import Postgres

/// The SQL that changes what opens an account.
enum HeldUserQueries {
    /// The only statement that raises `credentials_version`. Parameters: id, updated_at. Returns the user and, as one more column, whether
    /// there is a password.
    static let hold = Statement(
        name: "held_user_hold",
        sql: """
            UPDATE users
            SET credentials_version = credentials_version + 1, updated_at = to_timestamp($2::bigint / 1000.0)
            WHERE id = $1::uuid
            RETURNING \(UserQueries.columns), password_hash IS NOT NULL
            """)

    /// Parameter: id. Returns whether a server of the team's has vouched for the user when there was no address.
    static let isVouchedFor = Statement(
        name: "held_user_is_vouched_for",
        sql: "SELECT EXISTS (SELECT 1 FROM project_marks WHERE user_id = $1::uuid AND is_vouched_for)")

    /// Parameter: id. The address is only claimed from then on.
    static let releaseAddress = HeldStatement(
        name: "held_user_release_address", sql: "UPDATE users SET email_claimed = true WHERE id = $1::uuid AND NOT email_verified"
    )

    /// With a password, an address that was only claimed is as good as one that somebody has signed up with, if nobody has it. Parameters:
    /// id, hash or null.
    static let setPassword = HeldStatement(
        name: "held_user_set_password",
        sql: """
            UPDATE users
            SET password_hash = $2::text,
                email_claimed = email_claimed AND ($2::text IS NULL OR EXISTS (
                    SELECT 1 FROM users AS others
                    WHERE others.email_normalized = users.email_normalized AND NOT others.email_claimed
                ))
            WHERE id = $1::uuid
            """)

    /// Parameters: id, disabled_at.
    static let disable = HeldStatement(
        name: "held_user_disable",
        sql: """
            UPDATE users SET disabled_at = coalesce(disabled_at, to_timestamp($2::bigint / 1000.0)) WHERE id = $1::uuid
            """)

    /// Never goes back. In whole seconds, as `auth_time` has it: who signs in again in the same second is not refused. Parameters: id, the
    /// instant.
    static let voidTokens = HeldStatement(
        name: "held_user_void_tokens",
        sql: """
            UPDATE users
            SET tokens_valid_after = greatest(tokens_valid_after, date_trunc('second', to_timestamp($2::bigint / 1000.0)))
            WHERE id = $1::uuid
            """)

    /// What an import brings: never a password over one that was set or checked here, and nobody is let in. Parameters: id, claims or null,
    /// roles or null, hash or null, when disabled or null. Returns whether the hash is the user's now.
    static let bringUpToDate = HeldStatement(
        name: "held_user_bring_up_to_date",
        sql: """
            UPDATE users
            SET claims = coalesce($2::jsonb, claims), roles = coalesce($3::text[], roles),
                password_hash = CASE WHEN password_hash NOT LIKE '$argon2id$%' THEN coalesce($4::text, password_hash) ELSE password_hash END,
                disabled_at = coalesce(disabled_at, to_timestamp($5::bigint / 1000.0))
            WHERE id = $1::uuid
            RETURNING coalesce(password_hash = $4::text, false)
            """)

    /// Parameter: id.
    static let delete = HeldStatement(name: "held_user_delete", sql: "DELETE FROM users WHERE id = $1::uuid")

    /// Parameter: id.
    static let setEmailProved = HeldStatement(
        name: "held_user_set_email_proved",
        sql: "UPDATE users SET email_verified = true, email_claimed = false WHERE id = $1::uuid")

    /// Parameters: id, the instant.
    static let setEmailConfirmed = HeldStatement(
        name: "held_user_set_email_confirmed",
        sql: """
            UPDATE users
            SET email_verified = true, email_claimed = false,
                email_confirmed_at = CASE WHEN email_verified THEN email_confirmed_at ELSE to_timestamp($2::bigint / 1000.0) END
            WHERE id = $1::uuid
            """)

    /// Parameter: id of the user.
    static let removeIdentities = HeldStatement(
        name: "held_user_remove_identities", sql: "DELETE FROM identities WHERE user_id = $1::uuid")

    /// Parameter: id of the user.
    static let removeConsents = HeldStatement(
        name: "held_user_remove_consents", sql: "DELETE FROM consents WHERE user_id = $1::uuid")

    /// Those from before the address was confirmed. Parameter: id of the user.
    static let removeEarlierIdentities = HeldStatement(
        name: "held_user_remove_earlier_identities",
        sql: """
            DELETE FROM identities USING users
            WHERE identities.user_id = $1::uuid AND users.id = $1::uuid AND identities.created_at < users.email_confirmed_at
            """)

    /// Parameters: id of the user, provider.
    static let removeIdentitiesOfProvider = HeldStatement(
        name: "held_user_remove_identities_of_provider",
        sql: "DELETE FROM identities WHERE user_id = $1::uuid AND provider = $2::text")

    /// Parameters: id of the user, provider, subject.
    static let removeIdentity = HeldStatement(
        name: "held_user_remove_identity",
        sql: "DELETE FROM identities WHERE user_id = $1::uuid AND provider = $2::text AND subject = $3::text")

    /// Parameters: id of the user, provider, subject, the instant.
    static let requireNewIDToken = HeldStatement(
        name: "held_user_require_new_id_token",
        sql: """
            UPDATE identities
            SET proofs_void_before = greatest(proofs_void_before, to_timestamp($4::bigint / 1000.0))
            WHERE user_id = $1::uuid AND provider = $2::text AND subject = $3::text
            """)

    /// Never in the future, so that no notice keeps later ones out.
    private static let standingChangedAt: SQL =
        "to_timestamp(greatest(least($5::bigint / 1000.0, extract(epoch FROM \(SQL.now))), 0))"

    /// Unless a later unblocking is known. Parameters: time, id of the user, provider, subject, when it happened or null for now. Returns
    /// whether it is blocked.
    static let block = HeldStatement(
        name: "held_user_block_identity",
        sql: """
            WITH identity AS (
                UPDATE identities
                SET blocked_at = coalesce(blocked_at, \(SQL.now)), standing_changed_at = \(standingChangedAt)
                WHERE user_id = $2::uuid AND provider = $3::text AND subject = $4::text
                    AND coalesce(standing_changed_at, '-infinity') <= \(standingChangedAt)
                RETURNING user_id
            )
            SELECT EXISTS (SELECT 1 FROM identity) OR EXISTS (
                SELECT 1 FROM identities
                WHERE user_id = $2::uuid AND provider = $3::text AND subject = $4::text AND blocked_at IS NOT NULL
            )
            """)
}

/// A statement that changes what opens an account. It runs on a user who is held, and in no other way: so nobody can forget that sessions
/// end with it.
struct HeldStatement: Sendable {
    private let statement: Statement

    init(name: StaticString, sql: SQL) {
        statement = Statement(name: name, sql: sql)
    }

    func run(on held: HeldUser, _ parameters: [PostgresValue]) async throws(PostgresError) -> Rows {
        try await held.transaction.query(statement, parameters)
    }
}
