package import Postgres
package import Text

/// Mail that waits to be sent, in PostgreSQL: what has been put here survives whatever happens to the process or to the mail server.
package struct MailOutbox: Sendable {
    /// Mails of one kind that a user may get in `window`, so that nobody fills another's mailbox.
    package static let limit = 5
    package static let window: Duration = .seconds(3600)

    private let pool: PostgresPool
    private let seal: MailSeal

    package init(pool: PostgresPool, seal: MailSeal) {
        self.pool = pool
        self.seal = seal
    }

    /// Whether a user may get one more mail of a kind now.
    /// - Throws: the store's failure.
    func hasRoom(for userID: UserID, _ kind: Mail.Kind, at now: Timestamp) async throws(IdentityError) -> Bool {
        let since = now.adding(.zero - Self.window)
        let count = try await asking { () throws(PostgresError) in
            let parameters: [PostgresValue] = [
                .uuid(userID.description), .text(kind.rawValue), .integer(since.milliseconds),
            ]
            return try await pool.query(MailQueries.countSince, parameters).first.map { row throws(PostgresError) in
                try row.int64(0)
            }
        }
        return count ?? 0 < Self.limit
    }

    /// Puts a mail to the others. One to a user who is not there is dropped, at the same price.
    /// - Throws: the store's failure.
    func add(_ mail: Mail) async throws(IdentityError) {
        let parameters: [PostgresValue] = [
            .uuid(mail.id.description), .uuid(mail.userID.description), .text(mail.kind.rawValue), .text(mail.recipient),
            .text(mail.language.rawValue), .bytes(try seal.seal(mail)), .integer(mail.createdAt.milliseconds),
            .integer(mail.expiresAt.milliseconds),
        ]
        _ = try await asking { () throws(PostgresError) in try await pool.query(MailQueries.insert, parameters) }
    }

    /// What is to be sent now, the oldest first, at most `count`.
    /// - Throws: the store's failure; `IdentityError.internalFault` for a mail that cannot be opened.
    package func due(_ count: Int, at now: Timestamp) async throws(IdentityError) -> [Mail] {
        let rows = try await asking { () throws(PostgresError) in
            try await pool.query(MailQueries.due, [.integer(now.milliseconds), .integer(count)])
        }
        var mails: [Mail] = []
        for row in rows {
            let (sealed, mail) = try await asking { () throws(PostgresError) in (try row.bytes(5), try Self.unopened(row)) }
            mails.append(mail.withLink(try seal.open(sealed, of: mail.id)))
        }
        return mails
    }

    private static func unopened(_ row: Row) throws(PostgresError) -> Mail {
        guard let id = UUID(try row.string(0)) else { throw .unexpectedColumn(0) }
        guard let userID = UserID(try row.string(1)) else { throw .unexpectedColumn(1) }
        guard let kind = Mail.Kind(rawValue: try row.string(2)) else { throw .unexpectedColumn(2) }
        guard let language = Mail.Language(rawValue: try row.string(4)) else { throw .unexpectedColumn(4) }
        return Mail(
            id: id, userID: userID, kind: kind, recipient: try row.string(3), language: language, link: SecretString(""),
            createdAt: Timestamp(milliseconds: try row.int64(6)), expiresAt: Timestamp(milliseconds: try row.int64(7)))
    }
}

extension Mail {
    fileprivate func withLink(_ link: SecretString) -> Mail {
        Mail(
            id: id, userID: userID, kind: kind, recipient: recipient, language: language, link: link, createdAt: createdAt,
            expiresAt: expiresAt)
    }
}
