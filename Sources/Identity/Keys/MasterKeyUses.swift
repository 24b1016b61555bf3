package import Postgres
package import Text

/// That copies run, or have run, with these master keys.
package struct MasterKeyUse: Equatable, Sendable {
    /// Of the key that seals, in hexadecimal.
    package let seals: String
    /// Of the other one; nil when there is none.
    package let accepts: String?
    package let lastSeen: Timestamp
    /// By PostgreSQL's clock.
    package let age: Duration

    /// A copy says so once a minute.
    package static let period: Duration = .seconds(60)

    /// Whether a copy runs so now.
    package var isCurrent: Bool {
        age < Self.period * 3
    }

    package init(seals: String, accepts: String?, lastSeen: Timestamp, age: Duration) {
        self.seals = seals
        self.accepts = accepts
        self.lastSeen = lastSeen
        self.age = age
    }

    /// Whether what a copy with this key seals is no use to the copies of this use.
    package func refuses(_ key: MasterKey.ID) -> Bool {
        seals != key.description && accepts != key.description
    }
}

/// Which master keys copies run with, as they say themselves: so each knows whether the others take what it seals, and an operator when
/// the last session token was made with a key.
package struct MasterKeyUses: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Says that a copy runs with this key, and the other one that it accepts.
    /// - Throws: `PostgresError`.
    package func note(_ key: MasterKey, at time: StatementTime) async throws(PostgresError) {
        _ = try await pool.query(
            Self.note, [time.parameter, .text(key.id.description), .text(key.other?.id.description ?? "")])
    }

    /// The latest first.
    /// - Throws: `PostgresError`.
    package func all(at time: StatementTime) async throws(PostgresError) -> [MasterKeyUse] {
        try await pool.query(Self.all, [time.parameter]).map { row throws(PostgresError) in
            let accepts = try row.string(1)
            return MasterKeyUse(
                seals: try row.string(0), accepts: accepts.isEmpty ? nil : accepts,
                lastSeen: Timestamp(milliseconds: try row.int64(2)), age: .milliseconds(max(0, try row.int64(3))))
        }
    }

    /// Parameters: time, the ids.
    private static let note = Statement(
        name: "master_key_uses_note",
        sql: """
            INSERT INTO master_key_uses (seals, accepts, first_seen_at, last_seen_at)
            VALUES ($2::text, $3::text, \(SQL.now), \(SQL.now))
            ON CONFLICT (seals, accepts) DO UPDATE SET last_seen_at = excluded.last_seen_at
            """)

    /// Parameter: time.
    private static let all = Statement(
        name: "master_key_uses_all",
        sql: """
            SELECT seals, accepts, (extract(epoch FROM last_seen_at) * 1000)::bigint,
                (extract(epoch FROM \(SQL.now) - last_seen_at) * 1000)::bigint
            FROM master_key_uses ORDER BY last_seen_at DESC
            """, retryable: true)
}
