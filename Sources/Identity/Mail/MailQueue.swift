package import Postgres
import Text

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
    func claim(_ count: Int, at time: StatementTime, for lease: Duration) async throws(PostgresError) -> [StoredMail] {
        let parameters: [PostgresValue] = [
            time.parameter, .duration(lease), .integer(count),
            .textArray(Mail.Kind.allCases.map(\.rawValue)), .textArray(Mail.Language.allCases.map(\.rawValue)),
        ]
        return try await pool.query(MailQueries.claim, parameters).map { row throws(PostgresError) in
            try StoredMail(row, seal)
        }
    }

    /// The mail is sent, and its link forgotten.
    func finish(_ id: UUID, at time: StatementTime) async throws(PostgresError) {
        _ = try await pool.query(MailQueries.finish, [time.parameter, .uuid(id.description)])
    }

    func postpone(
        _ mail: StoredMail, at time: StatementTime, by pause: Duration, because failure: String
    ) async throws(PostgresError) {
        let parameters: [PostgresValue] = [
            time.parameter, .uuid(mail.id.description), .integer(mail.attempts), .duration(pause), .text(failure),
        ]
        _ = try await pool.query(MailQueries.postpone, parameters)
    }

    /// Gives back what was not tried: for anybody, now.
    func giveBack(_ mail: StoredMail, at time: StatementTime, because failure: String) async throws(PostgresError) {
        let parameters: [PostgresValue] = [
            time.parameter, .uuid(mail.id.description), .integer(mail.attempts), .text(failure),
        ]
        _ = try await pool.query(MailQueries.giveBack, parameters)
    }

    func giveUp(_ mail: StoredMail, at time: StatementTime, because failure: String) async throws(PostgresError) {
        _ = try await pool.query(MailQueries.giveUp, [time.parameter, .uuid(mail.id.description), .text(failure)])
    }

    /// Gives up what is of no use any more. Returns how many of each kind.
    func expire(at time: StatementTime) async throws(PostgresError) -> [(kind: String, count: Int64)] {
        try await pool.query(
            MailQueries.expire, [time.parameter, .integer(Self.sweepLimit), .text(MailFailure.expired.text)]
        ).map { row throws(PostgresError) in (try row.string(0), try row.int64(1)) }
    }

    /// Removes what is over and was put here at least so long ago.
    func remove(at time: StatementTime, after age: Duration) async throws(PostgresError) {
        _ = try await pool.query(MailQueries.remove, [time.parameter, .duration(age), .integer(Self.sweepLimit)])
    }

    /// Removes the changes of accounts whose mails are of no use any more.
    func removeChanges(at time: StatementTime) async throws(PostgresError) {
        _ = try await pool.query(AccountChangeQueries.sweep, [time.parameter, .integer(Self.sweepLimit)])
    }

    /// How many wait, and for how long the oldest has.
    func counts(at time: StatementTime) async throws(PostgresError) -> (waiting: Int, oldestAge: Duration) {
        try await Self.counts(pool, at: time)
    }

    /// The same for who has no master key.
    package static func counts(
        _ pool: PostgresPool, at time: StatementTime
    ) async throws(PostgresError) -> (waiting: Int, oldestAge: Duration) {
        guard let row = try await pool.query(MailQueries.counts, [time.parameter]).first else { return (0, .zero) }
        return (Int(try row.int64(0)), .milliseconds(max(0, try row.optionalInt64(1) ?? 0)))
    }
}
