package import Text

/// A password in normalization form C, so that it is the same from every keyboard. It never prints.
///
/// The whole of it counts: spaces are kept, nothing is folded, nothing is cut.
package struct Password: Sendable {
    /// For a new password, in UTF-16 code units as typed, which is what clients count.
    package static let minimumLength = 8
    /// In UTF-8 bytes of the normalised form; bounds the work of hashing.
    package static let maximumLength = 1024
    /// No text of more bytes has a normalised form within `maximumLength`, so it is refused before the work of normalising.
    private static let maximumTypedLength = 4 * maximumLength

    /// What is hashed.
    package let secret: SecretString

    /// One that somebody presents to sign in. It has no minimum, since it is only compared.
    package init(presented text: String) throws(InputProblem) {
        guard text.utf8.count <= Self.maximumTypedLength else { throw Self.tooLong }
        // Text with NUL has no normalised form here: no keyboard types it, and other software cuts there.
        guard let normalized = UnicodeText.nfc(text) else { throw InputProblem(.password, .forbiddenCharacter) }
        guard normalized.utf8.count <= Self.maximumLength else { throw Self.tooLong }
        secret = SecretString(normalized)
    }

    /// One that somebody wants to have from now on. `email` is `nil` if that was no address.
    package init(chosen text: String, for email: EmailAddress?) throws(InputProblem) {
        try self.init(presented: text)
        guard text.utf16.count >= Self.minimumLength else {
            throw InputProblem(.password, .tooShort(minimum: Self.minimumLength))
        }
        if let reason = PasswordRules.objection(to: secret.revealedText, of: email) { throw InputProblem(.password, reason) }
    }

    private static var tooLong: InputProblem {
        InputProblem(.password, .tooLong(maximum: maximumLength))
    }
}

/// What a new password must not be. There are no rules of composition, which make passwords worse (NIST SP 800-63B).
enum PasswordRules {
    /// `text` is in normalization form C. Letter case makes no difference to any of the rules.
    static func objection(to text: String, of email: EmailAddress?) -> InputProblem.Reason? {
        if CommonPasswords.contain(text) { return .commonPassword }
        guard let email else { return nil }
        let folded = text.lowercased()
        let guesses = [email.normalized, email.typed.lowercased(), String(email.localPart)]
        return guesses.contains(folded) ? .passwordEqualsEmail : nil
    }
}
