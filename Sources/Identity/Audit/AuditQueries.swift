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

    /// What the statements that read give, in this order. The instant is in milliseconds since the epoch.
    private static let columns: SQL = """
        id::text, (extract(epoch FROM occurred_at) * 1000)::bigint, kind, outcome, reason, actor, user_id::text, client_id,
        session_id, address, reference_id, detail::text
        """

    /// From which id on and up to which, and in what order: an index has each of the statements' rows in it. The column is named with its
    /// table, because `id` alone would be the text that is returned.
    private static let newestFirst: SQL =
        "id >= $1::uuid AND id < $2::uuid ORDER BY audit_events.id DESC LIMIT $3::bigint"

    /// Newest first. Parameters: the lowest id, the id that is too high, how many.
    package static let page = Statement(
        name: "audit_events_page", sql: "SELECT \(columns) FROM audit_events WHERE \(newestFirst)", retryable: true)

    /// The same of one user. Fourth parameter: the user's id.
    package static let pageOfUser = Statement(
        name: "audit_events_page_of_user",
        sql: "SELECT \(columns) FROM audit_events WHERE user_id = $4::uuid AND \(newestFirst)", retryable: true)

    /// The same of one kind. Fourth parameter: the name of the kind.
    package static let pageOfKind = Statement(
        name: "audit_events_page_of_kind",
        sql: "SELECT \(columns) FROM audit_events WHERE kind = $4::text AND \(newestFirst)", retryable: true)

    /// The same of one user and one kind. Fourth and fifth parameter: the user's id, the name of the kind.
    package static let pageOfUserAndKind = Statement(
        name: "audit_events_page_of_user_and_kind",
        sql: "SELECT \(columns) FROM audit_events WHERE user_id = $4::uuid AND kind = $5::text AND \(newestFirst)",
        retryable: true)

    /// Parameter: the instant, in milliseconds since the epoch, before which events are deleted.
    package static let deleteBefore = Statement(
        name: "audit_events_delete_before", sql: "DELETE FROM audit_events WHERE occurred_at < to_timestamp($1::bigint / 1000.0)")
}
