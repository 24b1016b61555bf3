package import Postgres

/// The SQL of the outbox. Every statement is constant; values travel as parameters only.
package enum MailQueries {
    /// How many mails of a kind a user has been sent, or is about to be, since an instant. Parameters: the user's id, kind, instant.
    package static let countSince = Statement(
        name: "mail_count_since",
        sql: """
            SELECT count(*) FROM mail_outbox
            WHERE user_id = $1::uuid AND kind = $2::text AND created_at > to_timestamp($3::bigint / 1000.0)
            """, retryable: true)

    /// Nothing is inserted for a user who is not there. Parameters: id, user_id, kind, recipient, language, sealed_content,
    /// created_at, expires_at.
    package static let insert = Statement(
        name: "mail_insert",
        sql: """
            INSERT INTO mail_outbox (
                id, user_id, kind, recipient, language, sealed_content, created_at, expires_at, next_attempt_at
            )
            SELECT $1::uuid, users.id, $3::text, $4::text, $5::text, $6::bytea, to_timestamp($7::bigint / 1000.0),
                to_timestamp($8::bigint / 1000.0), to_timestamp($7::bigint / 1000.0)
            FROM users WHERE users.id = $2::uuid
            """)

    /// What is to be sent and still of use, the oldest first. Parameters: now, how many. Returns id, user_id, kind, recipient, language,
    /// sealed_content, created_at, expires_at.
    package static let due = Statement(
        name: "mail_due",
        sql: """
            SELECT id::text, user_id::text, kind, recipient, language, sealed_content,
                (extract(epoch FROM created_at) * 1000)::bigint, (extract(epoch FROM expires_at) * 1000)::bigint
            FROM mail_outbox
            WHERE sent_at IS NULL AND next_attempt_at <= to_timestamp($1::bigint / 1000.0)
                AND expires_at > to_timestamp($1::bigint / 1000.0)
            ORDER BY next_attempt_at, id LIMIT $2::bigint
            """, retryable: true)
}
