package import Postgres

/// The SQL of the audit events.
package enum AuditQueries {
    /// Any number of events at once. Parameter: a JSON array of what `AuditEvent.stored` gives. Writing an event again changes
    /// nothing, so that a batch whose fate is unknown can be repeated.
    package static let insert = Statement(
        name: "audit_events_insert",
        sql: """
            INSERT INTO audit_events (
                id, occurred_at, kind, outcome, reason, actor, user_id, client_id, session_id, address, reference_id, detail
            )
            SELECT
                id, to_timestamp(occurred_at / 1000.0), kind, outcome, reason, actor, user_id, client_id, session_id, address,
                reference_id, detail
            FROM jsonb_to_recordset($1::jsonb) AS event (
                id uuid, occurred_at bigint, kind text, outcome text, reason text, actor text, user_id uuid, client_id text,
                session_id text, address text, reference_id text, detail jsonb
            )
            ON CONFLICT (id) DO NOTHING
            """)

    /// The latest events of one user, newest first. Parameters: user id, how many. Returns occurred_at in milliseconds since
    /// the epoch, kind, outcome, reason, actor, client_id, session_id, address, reference_id, detail as JSON text.
    package static let ofUser = Statement(
        name: "audit_events_of_user",
        sql: """
            SELECT
                (extract(epoch FROM occurred_at) * 1000)::bigint, kind, outcome, reason, actor, client_id, session_id, address,
                reference_id, detail::text
            FROM audit_events
            WHERE user_id = $1::uuid
            ORDER BY occurred_at DESC, id DESC
            LIMIT $2::bigint
            """, retryable: true)

    /// Parameter: the instant, in milliseconds since the epoch, before which events are deleted.
    package static let deleteBefore = Statement(
        name: "audit_events_delete_before", sql: "DELETE FROM audit_events WHERE occurred_at < to_timestamp($1::bigint / 1000.0)")
}
