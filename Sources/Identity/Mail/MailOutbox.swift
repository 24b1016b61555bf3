package import Postgres
import Text

/// Mail that waits to be sent, in PostgreSQL: what has been put here survives whatever happens to the process or to the mail server.
package struct MailOutbox: Sendable {
    /// Mails of one kind that a user may get in `window`, so that nobody fills another's mailbox.
    package static let limit = 5
    package static let window: Duration = .seconds(3600)

    private let pool: PostgresPool
    private let seal: MailSeal
    private let signal: MailSignal?

    /// - Parameter signal: rung after each mail.
    package init(pool: PostgresPool, seal: MailSeal, signal: MailSignal? = nil) {
        self.pool = pool
        self.seal = seal
        self.signal = signal
    }

    /// Whether a user may get one more mail of a kind now.
    /// - Throws: the store's failure.
    func hasRoom(for userID: UserID, _ kind: Mail.Kind, at time: StatementTime) async throws(IdentityError) -> Bool {
        let count = try await asking { () throws(PostgresError) in
            let parameters: [PostgresValue] = [
                time.parameter, .uuid(userID.description), .text(kind.rawValue), .duration(Self.window),
            ]
            return try await pool.query(MailQueries.countSince, parameters).first.map { row throws(PostgresError) in
                try row.int64(0)
            }
        }
        return count ?? 0 < Self.limit
    }

    /// Puts a mail to the others, for as long as it says it is of use. One to a user who is not there is dropped, at the same price.
    /// - Throws: the store's failure.
    func add(_ mail: Mail, at time: StatementTime) async throws(IdentityError) {
        let parameters = try parameters(of: mail, at: time)
        _ = try await asking { () throws(PostgresError) in try await pool.query(MailQueries.insert, parameters) }
        signal?.ring()
    }

    /// The same within a transaction, which has `ring` follow.
    /// - Parameter isCounted: whether it is left out when the user has got enough of the kind in `window`.
    /// - Throws: the store's failure.
    func add(
        _ mail: Mail, isCounted: Bool = true, in transaction: Transaction, at time: StatementTime
    ) async throws(IdentityError) {
        let parameters = try parameters(of: mail, at: time)
        let count: [PostgresValue] = [
            time.parameter, .uuid(mail.userID.description), .text(mail.kind.rawValue), .duration(Self.window),
        ]
        try await asking { () throws(PostgresError) in
            if isCounted {
                guard try await transaction.query(MailQueries.countSince, count).first?.int64(0) ?? 0 < Self.limit else { return }
            }
            _ = try await transaction.query(MailQueries.insert, parameters)
        }
    }

    /// Tells whoever sends mail that there is some.
    func ring() {
        signal?.ring()
    }

    private func parameters(of mail: Mail, at time: StatementTime) throws(IdentityError) -> [PostgresValue] {
        [
            time.parameter, .uuid(mail.id.description), .uuid(mail.userID.description), .text(mail.kind.rawValue),
            .text(mail.recipient), .text(mail.language.rawValue), .bytes(try seal.seal(mail)),
            .duration(mail.expiresAt.duration(since: mail.createdAt)),
        ]
    }

    /// Has everything that was put off be due.
    /// - Returns: how many that is.
    /// - Throws: the store's failure.
    package func retry(at time: StatementTime) async throws(IdentityError) -> Int {
        let count = try await asking { () throws(PostgresError) in
            try await pool.query(MailQueries.retry, [time.parameter]).count
        }
        if count > 0 { signal?.ring() }
        return count
    }

    /// What waits, due or not, the oldest first, at most `count`. What is of another version or does not open has no mail.
    /// - Throws: the store's failure.
    package func waiting(_ count: Int, at time: StatementTime) async throws(IdentityError) -> [StoredMail] {
        try await asking { () throws(PostgresError) in
            try await pool.query(MailQueries.waiting, [time.parameter, .integer(count)])
                .map { row throws(PostgresError) in try StoredMail(row, seal) }
        }
    }
}
