package import Postgres

/// The SQL of the clients table. A client travels as one JSON object whose members are its columns, digests as bytes beside it.
package enum ClientQueries {
    /// What every statement returns that gives a client: the row as JSON text; the digest of the secret or null; that of the secret before
    /// while it is good, for how many milliseconds it still is, how often it was used, when last; disabled_at; the digest of the registration
    /// token; created_at; updated_at. Instants are milliseconds since the epoch but the last use.
    private static let columns: SQL = """
        (to_jsonb(clients) - 'secret_digest' - 'previous_secret_digest' - 'registration_token_digest')::text, secret_digest,
        CASE WHEN previous_secret_ends_at > now() THEN previous_secret_digest END,
        (extract(epoch FROM previous_secret_ends_at - now()) * 1000)::bigint, previous_secret_uses, previous_secret_used_at,
        (extract(epoch FROM disabled_at) * 1000)::bigint, registration_token_digest,
        (extract(epoch FROM created_at) * 1000)::bigint, (extract(epoch FROM updated_at) * 1000)::bigint
        """

    /// The columns that an operator or a registration decides, in the order of `changeable`.
    private static let names: SQL = """
        name, kind, permissions, grant_types, response_types, is_first_party, token_endpoint_auth_method, jwks, jwks_uri, redirect_uris,
        post_logout_redirect_uris, frontchannel_logout_uri, frontchannel_logout_session_required, backchannel_logout_uri,
        backchannel_logout_session_required, scopes, audiences, require_pkce, dpop_bound_access_tokens, rotates_refresh_tokens,
        access_token_format, id_token_signed_response_alg, userinfo_signed_response_alg, access_token_seconds, session_idle_seconds,
        session_absolute_seconds, client_uri, logo_uri, policy_uri, tos_uri, contacts, disabled_at
        """

    /// The constraint that a second client with one id violates (SQLSTATE 23505).
    package static let uniqueIDConstraint = "clients_pkey"

    /// Parameters: the columns as JSON, secret_digest, registration_token_digest, created_at.
    package static let insert = Statement(
        name: "clients_insert",
        sql: """
            INSERT INTO clients (id, \(names), secret_digest, registration_token_digest, created_at, updated_at)
            SELECT id, \(names), $2::bytea, $3::bytea, to_timestamp($4::bigint / 1000.0), to_timestamp($4::bigint / 1000.0)
            FROM jsonb_populate_record(NULL::clients, $1::jsonb)
            """)

    /// Parameters: the columns as JSON, secret_digest, registration_token_digest, updated_at. The secret before is good only beside one.
    package static let update = Statement(
        name: "clients_update",
        sql: """
            UPDATE clients
            SET (\(names), secret_digest, registration_token_digest, updated_at) = (
                    SELECT \(names), $2::bytea, $3::bytea, to_timestamp($4::bigint / 1000.0)
                    FROM jsonb_populate_record(NULL::clients, $1::jsonb)
                ),
                previous_secret_digest = CASE WHEN $2::bytea IS NOT NULL THEN previous_secret_digest END,
                previous_secret_ends_at = CASE WHEN $2::bytea IS NOT NULL THEN previous_secret_ends_at END
            WHERE id = $1::jsonb ->> 'id'
            """)

    package static let all = Statement(
        name: "clients_all", sql: "SELECT \(columns) FROM clients ORDER BY id", retryable: true)

    /// Parameter: id.
    package static let byID = Statement(
        name: "clients_by_id", sql: "SELECT \(columns) FROM clients WHERE id = $1::text", retryable: true)

    /// The same, and nobody else changes it before the transaction ends.
    package static let hold = Statement(
        name: "clients_hold", sql: "SELECT \(columns) FROM clients WHERE id = $1::text FOR UPDATE")

    /// Parameters: id, secret_digest, updated_at, for how many milliseconds the old secret stays good. Returns the id if the client is
    /// there and has a secret.
    package static let replaceSecret = Statement(
        name: "clients_replace_secret",
        sql: """
            UPDATE clients
            SET
                previous_secret_digest = CASE WHEN $4::bigint > 0 THEN secret_digest END,
                previous_secret_ends_at = CASE WHEN $4::bigint > 0 THEN now() + $4::bigint * interval '1 millisecond' END,
                previous_secret_uses = 0,
                previous_secret_used_at = NULL,
                secret_digest = $2::bytea,
                updated_at = to_timestamp($3::bigint / 1000.0)
            WHERE id = $1::text AND secret_digest IS NOT NULL
            RETURNING id
            """)

    /// Parameters: id, updated_at. Returns the id if there was a secret before that was still good.
    package static let endPreviousSecret = Statement(
        name: "clients_end_previous_secret",
        sql: """
            UPDATE clients
            SET previous_secret_digest = NULL, previous_secret_ends_at = NULL, updated_at = to_timestamp($2::bigint / 1000.0)
            WHERE id = $1::text AND previous_secret_ends_at > now()
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
