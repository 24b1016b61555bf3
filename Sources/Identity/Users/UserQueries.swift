package import Postgres

/// The SQL of the users table. Every statement is constant; values travel as parameters only.
///
/// Ids are passed and returned as text, instants as milliseconds since the epoch (`bigint`), documents as JSON text.
package enum UserQueries {
    /// What every statement that gives a user returns, in this order: id, email, email_normalized, email_verified,
    /// display_name, photo_url, phone_number, claims, credentials_version, disabled_at, created_at, updated_at, last_sign_in_at,
    /// provider of the oldest identity, email_claimed, roles as JSON, tokens_valid_after, is_anonymous.
    static let columns: SQL = """
        id::text, email, email_normalized, email_verified, display_name, photo_url, phone_number, claims::text,
        credentials_version, (extract(epoch FROM disabled_at) * 1000)::bigint, (extract(epoch FROM created_at) * 1000)::bigint,
        (extract(epoch FROM updated_at) * 1000)::bigint, (extract(epoch FROM last_sign_in_at) * 1000)::bigint,
        (SELECT provider FROM identities WHERE identities.user_id = users.id ORDER BY created_at, provider LIMIT 1),
        email_claimed, array_to_json(roles)::text, (extract(epoch FROM tokens_valid_after) * 1000)::bigint, is_anonymous
        """

    /// How many columns a user's row has; what follows stands at this index.
    static let columnCount = 18

    /// Parameters: id, email, email_normalized, email_verified, password_hash or null, display_name or null, photo_url or null,
    /// phone_number or null, claims, created_at, email_claimed, roles, tokens_valid_after or null, is_anonymous, last_sign_in_at or null.
    /// Returns the user.
    package static let insert = Statement(
        name: "users_insert",
        sql: """
            INSERT INTO users (
                id, email, email_normalized, email_verified, password_hash, display_name, photo_url, phone_number, claims, created_at,
                updated_at, email_claimed, roles, tokens_valid_after, is_anonymous, last_sign_in_at
            )
            VALUES (
                $1::uuid, $2::text, $3::text, $4::boolean, $5::text, $6::text, $7::text, $8::text, $9::jsonb,
                to_timestamp($10::bigint / 1000.0), to_timestamp($10::bigint / 1000.0), $11::boolean,
                $12::text[], to_timestamp($13::bigint / 1000.0), $14::boolean, to_timestamp($15::bigint / 1000.0)
            )
            RETURNING \(columns)
            """)

    /// Parameter: id.
    package static let byID = Statement(
        name: "users_by_id", sql: "SELECT \(columns) FROM users WHERE id = $1::uuid", retryable: true)

    /// Whose an address is: who only claims it does not count. Parameter: normalised e-mail address. Returns the user and, as two more
    /// columns, the password hash or null, and the settings or null.
    package static let byEmailForSignIn = Statement(
        name: "users_by_email_for_sign_in",
        sql: """
            SELECT \(columns), password_hash, (SELECT settings::text FROM app_settings WHERE app_settings.user_id = users.id)
            FROM users WHERE email_normalized = $1::text AND NOT email_claimed
            """, retryable: true)

    /// Bytes are compared, whatever the collation, and no character has a meaning of its own. Parameters: the lowest normalised
    /// address, the one that is too high, how many.
    package static let byEmailPrefix = Statement(
        name: "users_by_email_prefix",
        sql: """
            SELECT \(columns) FROM users
            WHERE email_normalized ~>=~ $1::text AND email_normalized ~<~ $2::text
            ORDER BY email_normalized USING ~<~ LIMIT $3::bigint
            """, retryable: true)

    /// Parameter: id. Returns whether there is a password.
    package static let hasPassword = Statement(
        name: "users_has_password", sql: "SELECT password_hash IS NOT NULL FROM users WHERE id = $1::uuid", retryable: true)

    /// Parameter: id. Returns the user and, as one more column, the password hash or null.
    package static let byIDForSignIn = Statement(
        name: "users_by_id_for_sign_in", sql: "SELECT \(columns), password_hash FROM users WHERE id = $1::uuid",
        retryable: true)

    /// Parameter: folded username. Returns the user and, as one more column, the password hash or null.
    package static let byUsernameForSignIn = Statement(
        name: "users_by_username_for_sign_in",
        sql: """
            SELECT \(columns), password_hash FROM users
            WHERE id = (SELECT user_id FROM profiles WHERE username_folded = $1::text)
            """, retryable: true)

    /// Parameters: id, normalised e-mail address, updated_at. Returns the id if that is the address of the user, who is not disabled.
    package static let verifyEmail = Statement(
        name: "users_verify_email",
        sql: """
            UPDATE users
            SET email_verified = true, email_claimed = false, updated_at = to_timestamp($3::bigint / 1000.0),
                email_confirmed_at = CASE WHEN email_verified THEN email_confirmed_at ELSE to_timestamp($3::bigint / 1000.0) END
            WHERE id = $1::uuid AND email_normalized = $2::text AND disabled_at IS NULL
            RETURNING id::text
            """)

    /// One statement, so that two changes of different fields at once both hold. Parameters: id; whether display_name changes, and
    /// what to, or null; the same for photo_url; updated_at. Returns the user.
    package static let updateProfile = Statement(
        name: "users_update_profile",
        sql: """
            UPDATE users
            SET display_name = CASE WHEN $2::boolean THEN $3::text ELSE display_name END,
                photo_url = CASE WHEN $4::boolean THEN $5::text ELSE photo_url END,
                updated_at = to_timestamp($6::bigint / 1000.0)
            WHERE id = $1::uuid
            RETURNING \(columns)
            """)

    /// The same password under newer parameters, unless it has been changed meanwhile. Parameters: id, new hash, old hash.
    package static let rehashPassword = Statement(
        name: "users_rehash_password",
        sql: "UPDATE users SET password_hash = $2::text WHERE id = $1::uuid AND password_hash = $3::text")

    /// Parameters: id, claims or null to leave them, roles or null to leave them, updated_at. Returns the user.
    package static let setTokenContent = Statement(
        name: "users_set_token_content",
        sql: """
            UPDATE users
            SET claims = coalesce($2::jsonb, claims), roles = coalesce($3::text[], roles),
                updated_at = to_timestamp($4::bigint / 1000.0)
            WHERE id = $1::uuid
            RETURNING \(columns)
            """)

    /// Parameters: id, updated_at. Returns the user.
    package static let enable = Statement(
        name: "users_enable",
        sql: """
            UPDATE users
            SET disabled_at = NULL, updated_at = to_timestamp($2::bigint / 1000.0)
            WHERE id = $1::uuid
            RETURNING \(columns)
            """)

    /// Parameters: id, last_sign_in_at, the credentials_version under which the password was checked. No row comes back when
    /// the user is gone, disabled, or has other credentials by now: the sign-in is void. Returns the id.
    ///
    /// Its commit waits for no disk: a server that crashes may forget the time of the sign-in, and nothing else.
    package static let recordSignIn = Statement(
        name: "users_record_sign_in",
        sql: """
            UPDATE users
            SET last_sign_in_at = to_timestamp($2::bigint / 1000.0)
            WHERE id = $1::uuid AND disabled_at IS NULL AND credentials_version = $3::bigint
            RETURNING id::text, set_config('synchronous_commit', 'off', true)
            """)

    /// Parameter: a JSON array of ids. Returns, of each user there is, the id and whether they are disabled.
    package static let states = Statement(
        name: "users_states",
        sql: """
            SELECT id::text, disabled_at IS NOT NULL FROM users
            WHERE id IN (SELECT value::uuid FROM jsonb_array_elements_text($1::jsonb))
            """, retryable: true)
}
