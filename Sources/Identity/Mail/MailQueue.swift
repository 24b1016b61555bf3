package import Postgres
package import Text

/// The outbox as those see it who send what is in it.
package struct MailQueue: Sendable {
    /// Rows of one statement that clears up.
    static let sweepLimit = 1000

    private let pool: PostgresPool
    private let seal: MailSeal

    package init(pool: PostgresPool, seal: MailSeal) {
        self.pool = pool
        self.seal = seal
    }

    /// Takes what is due, at most `count`: nobody else gets it before the end of the lease.
    func claim(_ count: Int, at now: Timestamp, until lease: Timestamp) async throws(PostgresError) -> [StoredMail] {
        let parameters: [PostgresValue] = [
            .integer(now.milliseconds), .integer(lease.milliseconds), .integer(count),
            .textArray(Mail.Kind.allCases.map(\.rawValue)), .textArray(Mail.Language.allCases.map(\.rawValue)),
        ]
        return try await pool.query(MailQueries.claim, parameters).map { row throws(PostgresError) in
            try StoredMail(row, seal)
        }
    }

    /// The mail is sent, and its link forgotten.
    func finish(_ id: UUID, at now: Timestamp) async throws(PostgresError) {
        _ = try await pool.query(MailQueries.finish, [.uuid(id.description), .integer(now.milliseconds)])
    }

    func postpone(_ mail: StoredMail, until next: Timestamp, because failure: String) async throws(PostgresError) {
        _ = try await pool.query(MailQueries.postpone, Self.parameters(mail, next, failure))
    }

    /// Gives back what was not tried: for anybody, now.
    func giveBack(_ mail: StoredMail, at now: Timestamp, because failure: String) async throws(PostgresError) {
        _ = try await pool.query(MailQueries.giveBack, Self.parameters(mail, now, failure))
    }

    func giveUp(_ mail: StoredMail, at now: Timestamp, because failure: String) async throws(PostgresError) {
        _ = try await pool.query(
            MailQueries.giveUp, [.uuid(mail.id.description), .integer(now.milliseconds), .text(failure)])
    }

    /// Gives up what is of no use any more. Returns how many of each kind.
    func expire(at now: Timestamp) async throws(PostgresError) -> [(kind: String, count: Int64)] {
        try await pool.query(
            MailQueries.expire, [.integer(now.milliseconds), .integer(Self.sweepLimit), .text(MailFailure.expired.text)]
        ).map { row throws(PostgresError) in (try row.string(0), try row.int64(1)) }
    }

    /// Removes what is over and was put here up to an instant.
    func remove(upTo instant: Timestamp) async throws(PostgresError) {
        _ = try await pool.query(MailQueries.remove, [.integer(instant.milliseconds), .integer(Self.sweepLimit)])
    }

    /// How many wait, and since when the oldest does.
    func counts(at now: Timestamp) async throws(PostgresError) -> (waiting: Int, oldest: Timestamp?) {
        try await Self.counts(pool, at: now)
    }

    /// The same for who has no master key.
    package static func counts(
        _ pool: PostgresPool, at now: Timestamp
    ) async throws(PostgresError) -> (waiting: Int, oldest: Timestamp?) {
        guard let row = try await pool.query(MailQueries.counts, [.integer(now.milliseconds)]).first else { return (0, nil) }
        return (Int(try row.int64(0)), try row.optionalInt64(1).map { Timestamp(milliseconds: $0) })
    }

    private static func parameters(_ mail: StoredMail, _ instant: Timestamp, _ failure: String) -> [PostgresValue] {
        [.uuid(mail.id.description), .integer(mail.attempts), .integer(instant.milliseconds), .text(failure)]
    }
}
