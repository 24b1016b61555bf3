package import Postgres

/// The SQL of the clients table. Lists are passed and returned as JSON arrays of strings, digests as bytes.
package enum ClientQueries {
    /// Every statement that gives a client returns, in this order: id, name, secret_digest or null, permissions, audiences,
    /// access_token_format, access_token_seconds, session_idle_seconds, session_absolute_seconds; the digest of the secret before, while it
    /// is good, and for how many milliseconds it still is; scopes, rotates_refresh_tokens.
    private static let columns: SQL = """
        id, name, secret_digest, to_json(permissions)::text, to_json(audiences)::text, access_token_format, access_token_seconds,
        session_idle_seconds, session_absolute_seconds,
        CASE WHEN previous_secret_ends_at > now() THEN previous_secret_digest END,
        (extract(epoch FROM previous_secret_ends_at - now()) * 1000)::bigint, previous_secret_uses, previous_secret_used_at,
        to_json(scopes)::text, rotates_refresh_tokens
        """

    /// The constraint that a second client with one id violates (SQLSTATE 23505).
    package static let uniqueIDConstraint = "clients_pkey"

    /// Parameters: the columns above without those of the secret before, then created_at in milliseconds since the epoch; scopes,
    /// rotates_refresh_tokens.
    package static let insert = Statement(
        name: "clients_insert",
        sql: """
            INSERT INTO clients (
                id, name, secret_digest, permissions, audiences, access_token_format, access_token_seconds, session_idle_seconds,
                session_absolute_seconds, created_at, updated_at, scopes, rotates_refresh_tokens
            )
            VALUES (
                $1::text, $2::text, $3::bytea, ARRAY(SELECT jsonb_array_elements_text($4::jsonb)),
                ARRAY(SELECT jsonb_array_elements_text($5::jsonb)), $6::text, $7::bigint, $8::bigint, $9::bigint,
                to_timestamp($10::bigint / 1000.0), to_timestamp($10::bigint / 1000.0),
                ARRAY(SELECT jsonb_array_elements_text($11::jsonb)), $12::boolean
            )
            """)

    package static let all = Statement(
        name: "clients_all", sql: "SELECT \(columns) FROM clients ORDER BY id", retryable: true)

    /// Parameter: id.
    package static let byID = Statement(
        name: "clients_by_id", sql: "SELECT \(columns) FROM clients WHERE id = $1::text", retryable: true)

    /// Parameters: id, secret_digest, updated_at, for how many milliseconds the old secret stays good. Returns the id if the client is
    /// there.
    package static let replaceSecret = Statement(
        name: "clients_replace_secret",
        sql: """
            UPDATE clients
            SET
                previous_secret_digest = CASE WHEN $4::bigint > 0 THEN secret_digest END,
                previous_secret_ends_at = CASE
                    WHEN $4::bigint > 0 AND secret_digest IS NOT NULL THEN now() + $4::bigint * interval '1 millisecond'
                END,
                previous_secret_uses = 0,
                previous_secret_used_at = NULL,
                secret_digest = $2::bytea,
                updated_at = to_timestamp($3::bigint / 1000.0)
            WHERE id = $1::text
            RETURNING id
            """)

    /// Parameters: id, the digest of the secret before, how often it was used.
    package static let notePreviousSecret = Statement(
        name: "clients_note_previous_secret",
        sql: """
            UPDATE clients SET previous_secret_uses = previous_secret_uses + $3::bigint, previous_secret_used_at = now()
            WHERE id = $1::text AND previous_secret_digest = $2::bytea
            """)

    /// Parameter: id. Returns the id if the client was there.
    package static let delete = Statement(
        name: "clients_delete", sql: "DELETE FROM clients WHERE id = $1::text RETURNING id")
}
