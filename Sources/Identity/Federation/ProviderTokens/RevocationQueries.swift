import Postgres

/// The SQL of the revocations that are still to be made. The first parameter is a `StatementTime`'s where a statement asks for the time;
/// durations are in milliseconds.
enum RevocationQueries {
    /// Takes what is due, for as long as the lease: a copy that dies meanwhile leaves it to the others. Copies that ask at once get
    /// different rows. Parameters: time, the lease, how many, the providers that can be asked. Returns id, provider, subject,
    /// client_id, sealed_token, and attempts with this one.
    static let claim = Statement(
        name: "provider_revocations_claim",
        sql: """
            UPDATE provider_revocations
            SET attempts = attempts + 1, due_at = \(SQL.now) + $2::bigint * \(SQL.milliseconds)
            WHERE id IN (
                SELECT id FROM provider_revocations
                WHERE given_up_at IS NULL AND due_at <= \(SQL.now) AND provider = ANY ($4::text[])
                ORDER BY due_at
                LIMIT $3::bigint
                FOR UPDATE SKIP LOCKED
            )
            RETURNING id::text, provider, subject, client_id, sealed_token, attempts
            """)

    /// Parameter: id.
    static let finish = Statement(
        name: "provider_revocations_finish", sql: "DELETE FROM provider_revocations WHERE id = $1::uuid")

    /// Unless another copy has taken it since. Parameters: time, id, attempts, the pause, last_failure.
    static let postpone = Statement(
        name: "provider_revocations_postpone",
        sql: """
            UPDATE provider_revocations
            SET due_at = \(SQL.now) + $4::bigint * \(SQL.milliseconds), last_failure = $5::text
            WHERE id = $2::uuid AND attempts = $3::bigint
            """)

    /// Parameters: time, id, attempts, last_failure.
    static let giveUp = Statement(
        name: "provider_revocations_give_up",
        sql: """
            UPDATE provider_revocations SET given_up_at = \(SQL.now), last_failure = $4::text
            WHERE id = $2::uuid AND attempts = $3::bigint
            """)

    /// Returns how many wait and how many were given up.
    static let counts = Statement(
        name: "provider_revocations_counts",
        sql: """
            SELECT count(*) FILTER (WHERE given_up_at IS NULL), count(*) FILTER (WHERE given_up_at IS NOT NULL)
            FROM provider_revocations
            """, retryable: true)

    /// Those that an operator has not taken up again in time. Parameters: time, for how long they stay.
    static let deleteGivenUp = Statement(
        name: "provider_revocations_delete_given_up",
        sql: "DELETE FROM provider_revocations WHERE given_up_at <= \(SQL.now) - $2::bigint * \(SQL.milliseconds)")
}
