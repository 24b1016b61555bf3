import Postgres

/// The SQL of what providers tell us. Instants are milliseconds since the epoch; the first parameter is a `StatementTime`'s where a statement
/// asks for the time.
enum NoticeQueries {
    /// Parameter: digest. Returns whether such a notice has been dealt with.
    static let isKnown = Statement(
        name: "provider_notices_known",
        sql: "SELECT EXISTS (SELECT 1 FROM provider_notices WHERE digest = $1::bytea)", retryable: true)

    /// Parameters: time, digest.
    static let remember = Statement(
        name: "provider_notices_remember",
        sql: """
            INSERT INTO provider_notices (digest, received_at) VALUES ($2::bytea, \(SQL.now))
            ON CONFLICT (digest) DO NOTHING
            """)

    /// Parameters: time, for how many milliseconds a notice is remembered.
    static let forget = Statement(
        name: "provider_notices_forget",
        sql: "DELETE FROM provider_notices WHERE received_at <= \(SQL.now) - $2::bigint * \(SQL.milliseconds)")

    /// Parameters: provider, subject. Returns the user's id.
    static let user = Statement(
        name: "provider_notices_user",
        sql: "SELECT user_id::text FROM identities WHERE provider = $1::text AND subject = $2::text", retryable: true)

    /// `least` leaves out what is null.
    private static let changedAt: SQL =
        "to_timestamp(greatest(least($5::bigint / 1000.0, extract(epoch FROM \(SQL.now))), 0))"

    /// Unless a later change is known. Whatever the provider's clock says, no change is of a time to come. Parameters: time, provider,
    /// subject, mail_forwarding, mail_forwarding_changed_at as the provider says it, or null.
    static let setMailForwarding = Statement(
        name: "provider_notices_set_mail_forwarding",
        sql: """
            UPDATE identities
            SET mail_forwarding = $4::boolean, mail_forwarding_changed_at = \(changedAt)
            WHERE provider = $2::text AND subject = $3::text
                AND coalesce(mail_forwarding_changed_at, '-infinity') <= \(changedAt)
            """)

    /// Parameters: provider, subject.
    static let unblock = Statement(
        name: "provider_notices_unblock",
        sql: "UPDATE identities SET blocked_at = NULL WHERE provider = $1::text AND subject = $2::text")
}
