package import Postgres

/// The SQL of jobs; `JobLife` says what it means. The first parameter is a `StatementTime`'s where a statement asks for the time; durations
/// are in milliseconds.
package enum JobQueries {
    /// Nothing is inserted for a user who is not there. Parameters: time, id, kind, topic, user_id or null, payload, sealed or null, the delay,
    /// for how long it is of use or null.
    package static let insert = Statement(
        name: "jobs_insert",
        sql: """
            INSERT INTO jobs (id, kind, topic, user_id, payload, sealed, created_at, due_at, gives_up_at)
            SELECT $2::uuid, $3::text, $4::text, $5::uuid, $6::jsonb, $7::bytea, \(SQL.now),
                \(SQL.now) + $8::bigint * \(SQL.milliseconds), \(SQL.now) + $9::bigint * \(SQL.milliseconds)
            WHERE $5::uuid IS NULL OR EXISTS (SELECT 1 FROM users WHERE users.id = $5::uuid)
            ON CONFLICT (id) DO NOTHING
            """)

    /// Jobs of a kind and topic that were entered for a user within a duration. Parameters: time, kind, topic, the user's id, the duration.
    package static let countSince = Statement(
        name: "jobs_count_since",
        sql: """
            SELECT count(*) FROM jobs
            WHERE user_id = $4::uuid AND kind = $2::text AND topic = $3::text
                AND created_at > \(SQL.now) - $5::bigint * \(SQL.milliseconds)
            """, retryable: true)

    private static let columns: SQL = """
        id::text, topic, user_id::text, payload::text, sealed, (extract(epoch FROM created_at) * 1000)::bigint,
            (extract(epoch FROM gives_up_at) * 1000)::bigint, attempts, turn,
            (extract(epoch FROM \(SQL.now) - created_at) * 1000)::bigint
        """

    /// Neither finished nor given up.
    private static let isOpen: SQL = "done_at IS NULL AND given_up_at IS NULL"

    /// Takes what is due, for as long as the lease. Copies that ask at once get different rows. Parameters: time, kind, the lease, how many, the
    /// topics or null for all. Returns id, topic, user_id, payload, sealed, created_at, gives_up_at, attempts, turn, age.
    static let claim = Statement(
        name: "jobs_claim",
        sql: """
            WITH due AS MATERIALIZED (
                SELECT id AS due_id FROM jobs
                WHERE \(isOpen) AND kind = $2::text AND due_at <= \(SQL.now)
                    AND (leased_until IS NULL OR leased_until <= \(SQL.now)) AND (gives_up_at IS NULL OR gives_up_at > \(SQL.now))
                    AND ($5::text[] IS NULL OR topic = ANY ($5::text[]))
                ORDER BY due_at LIMIT $4::bigint
                FOR UPDATE SKIP LOCKED
            )
            UPDATE jobs
            SET attempts = attempts + 1, turn = turn + 1, leased_until = \(SQL.now) + $3::bigint * \(SQL.milliseconds)
            FROM due WHERE id = due_id
            RETURNING \(columns)
            """)

    /// What waits and is still of use, the oldest first, due or not. Parameters: time, kind, how many. Returns as above.
    static let waiting = Statement(
        name: "jobs_waiting",
        sql: """
            SELECT \(columns) FROM jobs
            WHERE \(isOpen) AND kind = $2::text AND (gives_up_at IS NULL OR gives_up_at > \(SQL.now))
            ORDER BY created_at, id LIMIT $3::bigint
            """, retryable: true)

    /// Whoever has it, and also when it was given up meanwhile. Parameters: time, id.
    static let finish = Statement(
        name: "jobs_finish",
        sql: """
            UPDATE jobs
            SET done_at = \(SQL.now), given_up_at = NULL, last_failure = NULL, sealed = NULL, leased_until = NULL
            WHERE id = $2::uuid AND done_at IS NULL
            """, retryable: true)

    /// The same for a kind of which nothing is to stay. Parameter: id.
    static let finishAndForget = Statement(
        name: "jobs_finish_and_forget", sql: "DELETE FROM jobs WHERE id = $1::uuid", retryable: true)

    private static let isOurs: SQL = "id = $2::uuid AND turn = $3::bigint AND leased_until IS NOT NULL AND \(isOpen)"

    /// Unless another copy has it since. Parameters: time, id, turn, the pause, last_failure or null.
    static let postpone = Statement(
        name: "jobs_postpone",
        sql: """
            UPDATE jobs
            SET due_at = \(SQL.now) + $4::bigint * \(SQL.milliseconds), last_failure = $5::text, leased_until = NULL
            WHERE \(isOurs)
            """)

    /// Gives back what was not tried at all, unless another copy has it since. Parameters: time, id, turn, last_failure.
    static let giveBack = Statement(
        name: "jobs_give_back",
        sql: """
            UPDATE jobs
            SET due_at = \(SQL.now), attempts = attempts - 1, last_failure = $4::text, leased_until = NULL
            WHERE \(isOurs)
            """)

    /// Unless another copy has it since. Parameters: time, id, turn, last_failure, whether it keeps what is sealed. Returns the id.
    static let giveUp = Statement(
        name: "jobs_give_up",
        sql: """
            UPDATE jobs
            SET given_up_at = \(SQL.now), last_failure = $4::text, leased_until = NULL, sealed = CASE WHEN $5::boolean THEN sealed END
            WHERE \(isOurs)
            RETURNING id::text
            """)

    /// Gives up what is of no use any more. Parameters: time, how many, last_failure, the kinds that keep what is sealed. Returns kinds,
    /// topics, and how many of each.
    static let expire = Statement(
        name: "jobs_expire",
        sql: """
            WITH late AS MATERIALIZED (
                SELECT id AS late_id FROM jobs
                WHERE \(isOpen) AND gives_up_at <= \(SQL.now)
                LIMIT $2::bigint
                FOR UPDATE SKIP LOCKED
            ), expired AS (
                UPDATE jobs
                SET given_up_at = \(SQL.now), last_failure = $3::text, leased_until = NULL,
                    sealed = CASE WHEN kind = ANY ($4::text[]) THEN sealed END
                FROM late WHERE id = late_id
                RETURNING kind, topic
            )
            SELECT kind, topic, count(*) FROM expired GROUP BY kind, topic
            """)

    /// Makes due what was tried and put off. Parameters: time, kind.
    static let retry = Statement(
        name: "jobs_retry",
        sql: """
            UPDATE jobs SET due_at = \(SQL.now)
            WHERE \(isOpen) AND kind = $2::text AND last_failure IS NOT NULL AND leased_until IS NULL AND due_at > \(SQL.now)
            RETURNING id
            """)

    /// Deletes what is over. Parameters: time, kind, for how long finished jobs stay, for how long those that were given up do, how many.
    static let remove = Statement(
        name: "jobs_remove",
        sql: """
            DELETE FROM jobs WHERE id IN (
                SELECT id FROM jobs
                WHERE kind = $2::text AND (
                    done_at <= \(SQL.now) - $3::bigint * \(SQL.milliseconds)
                    OR given_up_at <= \(SQL.now) - $4::bigint * \(SQL.milliseconds))
                LIMIT $5::bigint
                FOR UPDATE SKIP LOCKED
            )
            """)

    /// Parameter: time. Returns, of each kind that has any, how many wait and are still of use, for how many milliseconds the oldest of them
    /// has or null, and how many were given up.
    package static let counts = Statement(
        name: "jobs_counts",
        sql: """
            SELECT kind, count(*) FILTER (WHERE given_up_at IS NULL),
                (extract(epoch FROM \(SQL.now) - min(created_at) FILTER (WHERE given_up_at IS NULL)) * 1000)::bigint,
                count(*) FILTER (WHERE given_up_at IS NOT NULL)
            FROM jobs
            WHERE done_at IS NULL AND (given_up_at IS NOT NULL OR gives_up_at IS NULL OR gives_up_at > \(SQL.now))
            GROUP BY kind
            """, retryable: true)
}
