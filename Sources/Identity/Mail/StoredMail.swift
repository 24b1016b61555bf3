import Postgres
package import Text

/// A row of the outbox.
package struct StoredMail: Sendable {
    package let id: UUID
    /// As it is stored, because a newer version knows kinds that this one does not.
    package let kind: String
    package let recipient: String
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// With the one under way.
    package let attempts: Int
    /// Nil for what is of another version, or does not open with our master key.
    package let mail: Mail?

    /// - Parameter row: the columns of `MailQueries.waiting`.
    init(_ row: Row, _ seal: MailSeal) throws(PostgresError) {
        guard let id = UUID(try row.string(0)) else { throw .unexpectedColumn(0) }
        guard let userID = UserID(try row.string(1)) else { throw .unexpectedColumn(1) }
        self.id = id
        kind = try row.string(2)
        recipient = try row.string(3)
        createdAt = Timestamp(milliseconds: try row.int64(6))
        expiresAt = Timestamp(milliseconds: try row.int64(7))
        attempts = Int(try row.int64(8))
        guard let kind = Mail.Kind(rawValue: kind), let language = Mail.Language(rawValue: try row.string(4)),
            let (link, detail) = Self.opened(try row.optionalBytes(5), id, seal)
        else {
            mail = nil
            return
        }
        mail = Mail(
            id: id, userID: userID, kind: kind, recipient: recipient, language: language, link: link, detail: detail,
            createdAt: createdAt, expiresAt: expiresAt)
    }

    private static func opened(_ sealed: [UInt8]?, _ id: UUID, _ seal: MailSeal) -> (link: SecretString, detail: String)? {
        guard let sealed else { return nil }
        return try? seal.open(sealed, of: id)
    }
}
