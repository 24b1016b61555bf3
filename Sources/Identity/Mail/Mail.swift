package import Text

/// A mail to a user, before anybody has put it into words.
package struct Mail: Sendable {
    package typealias Kind = MailKind
    package typealias Language = MailLanguage

    package let id: UUID
    /// Nil for a mail to an address that may be nobody's yet.
    package let userID: UserID?
    package let kind: Kind
    /// The stored, normalised address of the user; one that a caller has sent only where the mail asks whether it is the user's.
    package let recipient: String
    package let language: Language
    /// Who has it is the user, once; of a mail with a code, that. Empty for a mail that only tells something.
    package let link: SecretString
    /// What the mail tells beside: what `MailKind.detailPlaceholder` says. Without a line break.
    package let detail: String
    package let createdAt: Timestamp
    /// From when on the mail is of no use.
    package let expiresAt: Timestamp

    package init(
        id: UUID, userID: UserID?, kind: Kind, recipient: String, language: Language, link: SecretString, detail: String = "",
        createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.id = id
        self.userID = userID
        self.kind = kind
        self.recipient = recipient
        self.language = language
        self.link = link
        self.detail = detail
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
