package import Postgres

/// The SQL of the outbox. Every statement is constant; values travel as parameters only. The first is a `StatementTime`'s where a statement
/// asks for the time; durations are in milliseconds.
package enum MailQueries {
    /// How many mails of a kind a user has been sent, or is about to be, within a duration. Parameters: time, the user's id, kind,
    /// the duration.
    package static let countSince = Statement(
        name: "mail_count_since",
        sql: """
            SELECT count(*) FROM mail_outbox
            WHERE user_id = $2::uuid AND kind = $3::text AND created_at > \(SQL.now) - $4::bigint * \(SQL.milliseconds)
            """, retryable: true)

    /// Nothing is inserted for a user who is not there. Parameters: time, id, user_id, kind, recipient, language, sealed_content, for how
    /// long it is of use.
    package static let insert = Statement(
        name: "mail_insert",
        sql: """
            INSERT INTO mail_outbox (
                id, user_id, kind, recipient, language, sealed_content, created_at, expires_at, next_attempt_at
            )
            SELECT $2::uuid, users.id, $4::text, $5::text, $6::text, $7::bytea, \(SQL.now),
                \(SQL.now) + $8::bigint * \(SQL.milliseconds), \(SQL.now)
            FROM users WHERE users.id = $3::uuid
            """)

    private static let columns: SQL = """
        id::text, user_id::text, kind, recipient, language, sealed_content, (extract(epoch FROM created_at) * 1000)::bigint,
            (extract(epoch FROM expires_at) * 1000)::bigint, attempts
        """

    /// What waits and is still of use, the oldest first, whether or not it is due. Parameters: time, how many. Returns id, user_id, kind,
    /// recipient, language, sealed_content, created_at, expires_at, attempts.
    static let waiting = Statement(
        name: "mail_waiting",
        sql: """
            SELECT \(columns) FROM mail_outbox
            WHERE sent_at IS NULL AND given_up_at IS NULL AND expires_at > \(SQL.now)
            ORDER BY created_at, id LIMIT $2::bigint
            """, retryable: true)

    /// Takes what is due, for as long as the lease: a copy that dies meanwhile leaves it to the others. Copies that ask at once get
    /// different rows. What another version has put here is left to it. Parameters: time, the lease, how many, the kinds and the
    /// languages that can be put into words. Returns as above, attempts with this one.
    static let claim = Statement(
        name: "mail_claim",
        sql: """
            WITH due AS MATERIALIZED (
                SELECT id AS due_id FROM mail_outbox
                WHERE sent_at IS NULL AND given_up_at IS NULL AND next_attempt_at <= \(SQL.now) AND expires_at > \(SQL.now)
                    AND kind = ANY ($4::text[]) AND language = ANY ($5::text[])
                ORDER BY next_attempt_at LIMIT $3::bigint
                FOR UPDATE SKIP LOCKED
            )
            UPDATE mail_outbox SET attempts = attempts + 1, next_attempt_at = \(SQL.now) + $2::bigint * \(SQL.milliseconds)
            FROM due WHERE id = due_id
            RETURNING \(columns)
            """)

    /// Whoever else has taken it meanwhile: it was sent. Parameters: time, id.
    static let finish = Statement(
        name: "mail_finish",
        sql: """
            UPDATE mail_outbox
            SET sent_at = \(SQL.now), given_up_at = NULL, last_failure = NULL, sealed_content = NULL
            WHERE id = $2::uuid AND sent_at IS NULL
            """, retryable: true)

    /// Unless another copy has taken it since. Parameters: time, id, attempts, the pause, last_failure.
    static let postpone = Statement(
        name: "mail_postpone",
        sql: """
            UPDATE mail_outbox
            SET next_attempt_at = \(SQL.now) + $4::bigint * \(SQL.milliseconds), last_failure = $5::text
            WHERE id = $2::uuid AND attempts = $3::bigint AND sent_at IS NULL
            """)

    /// Makes due what was tried and put off. Parameter: time.
    static let retry = Statement(
        name: "mail_retry",
        sql: """
            UPDATE mail_outbox SET next_attempt_at = \(SQL.now)
            WHERE sent_at IS NULL AND given_up_at IS NULL AND last_failure IS NOT NULL AND next_attempt_at > \(SQL.now)
            RETURNING id
            """)

    /// Gives back what was not tried at all. Parameters: time, id, attempts, last_failure.
    static let giveBack = Statement(
        name: "mail_give_back",
        sql: """
            UPDATE mail_outbox
            SET next_attempt_at = \(SQL.now), attempts = attempts - 1, last_failure = $4::text
            WHERE id = $2::uuid AND attempts = $3::bigint AND sent_at IS NULL
            """)

    /// Parameters: time, id, last_failure.
    static let giveUp = Statement(
        name: "mail_give_up",
        sql: """
            UPDATE mail_outbox
            SET given_up_at = \(SQL.now), last_failure = $3::text, sealed_content = NULL
            WHERE id = $2::uuid AND sent_at IS NULL
            """, retryable: true)

    /// Gives up what is of no use any more. Parameters: time, how many, last_failure. Returns the kinds and how many of each.
    static let expire = Statement(
        name: "mail_expire",
        sql: """
            WITH late AS MATERIALIZED (
                SELECT id AS late_id FROM mail_outbox
                WHERE sent_at IS NULL AND given_up_at IS NULL AND expires_at <= \(SQL.now)
                LIMIT $2::bigint
                FOR UPDATE SKIP LOCKED
            ), expired AS (
                UPDATE mail_outbox
                SET given_up_at = \(SQL.now), last_failure = $3::text, sealed_content = NULL
                FROM late WHERE id = late_id
                RETURNING kind
            )
            SELECT kind, count(*) FROM expired GROUP BY kind
            """)

    /// Removes what is over. Parameters: time, at least how long ago it was put here, how many.
    static let remove = Statement(
        name: "mail_remove",
        sql: """
            DELETE FROM mail_outbox WHERE id IN (
                SELECT id FROM mail_outbox
                WHERE created_at <= \(SQL.now) - $2::bigint * \(SQL.milliseconds)
                    AND (sent_at IS NOT NULL OR given_up_at IS NOT NULL)
                ORDER BY created_at LIMIT $3::bigint
                FOR UPDATE SKIP LOCKED
            )
            """)

    /// Parameter: time. Returns how many wait and are still of use, and for how many milliseconds the oldest has, or null.
    package static let counts = Statement(
        name: "mail_counts",
        sql: """
            SELECT count(*), (extract(epoch FROM \(SQL.now) - min(created_at)) * 1000)::bigint FROM mail_outbox
            WHERE sent_at IS NULL AND given_up_at IS NULL AND expires_at > \(SQL.now)
            """, retryable: true)
}
