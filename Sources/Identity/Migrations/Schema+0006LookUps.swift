import Postgres

extension Schema {
    /// What operators look things up by: users by the beginning of an address, events by user or kind, newest first.
    static let lookUps = Migration(
        version: 6,
        name: "look_ups",
        sql: """
            -- Compares bytes, whatever the collation of the database.
            CREATE INDEX users_by_email_prefix ON users (email_normalized text_pattern_ops);

            -- The ids of events sort by time.
            CREATE INDEX audit_events_of_user ON audit_events (user_id, id) WHERE user_id IS NOT NULL;

            DROP INDEX audit_events_by_user;

            CREATE INDEX audit_events_by_kind ON audit_events (kind, id);
            """)
}
