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

    /// The same by whatever is given. Fourth to seventh parameter: the id of the request, the user's id, the name of the kind, the name of an
    /// operator. All but the first may be NULL.
    package static let pageOfReference = Statement(
        name: "audit_events_page_of_reference",
        sql: """
            SELECT \(columns) FROM audit_events WHERE reference_id = $4::text AND ($5::uuid IS NULL OR user_id = $5)
            AND ($6::text IS NULL OR kind = $6) AND ($7::text IS NULL OR detail ->> 'operator' = $7) AND \(newestFirst)
            """, retryable: true)

    /// The same of what an operator has done. Fourth to sixth parameter: the name of the operator, the user's id, the name of the kind.
    /// The last two may be NULL.
    package static let pageOfOperator = Statement(
        name: "audit_events_page_of_operator",
        sql: """
            SELECT \(columns) FROM audit_events WHERE actor = 'administrator' AND detail ->> 'operator' = $4::text
            AND ($5::uuid IS NULL OR user_id = $5) AND ($6::text IS NULL OR kind = $6) AND \(newestFirst)
            """, retryable: true)

    /// Parameters: those of `StatementTime`, how many months ahead. Returns how many were made.
    package static let makePartitions = Statement(
        name: "audit_partitions_make", sql: "SELECT audit_events_make(\(SQL.now), $2::integer)::bigint")

    /// Parameters: those of `StatementTime`, for how many milliseconds events are kept, how many are deleted at most. Returns how many
    /// partitions were dropped, and how many events deleted.
    package static let expirePartitions = Statement(
        name: "audit_partitions_expire",
        sql: """
            SELECT dropped::bigint, deleted FROM audit_events_expire(\(SQL.now) - $2::bigint * \(SQL.milliseconds), $3::integer)
            """)

    /// Name, lower and upper id or NULL, events as the statistics have them, bytes with indexes; the oldest first.
    package static let partitions = Statement(
        name: "audit_partitions",
        sql: """
            SELECT p.name::text, p.lower::text, p.upper::text, greatest(c.reltuples, 0)::bigint, pg_total_relation_size(c.oid)
            FROM audit_event_partitions p JOIN pg_class c ON c.oid = p.name
            ORDER BY p.upper NULLS LAST
            """, retryable: true)
}
