import Identity

/// What the commands say that are about the texts of mails.
extension HelpTopic {
    var templateDetails: String {
        """
        A file of that name in KIDOBAN_MAIL_TEMPLATES takes the place of the built-in text. The first line of a `.txt` is
        its subject. In it these stand for what they say; other braces for themselves:
        \(MailPlaceholder.list).
        """
    }
}

extension MailPlaceholder {
    /// As they are written, for a sentence.
    fileprivate static var list: String {
        let names = allCases.map { "{\($0.rawValue)}" }
        return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }
}
