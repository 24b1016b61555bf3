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
