import Text

/// Puts mails into words.
package struct MailComposer: Sendable {
    package let sender: MailSender
    package let templates: MailTemplates

    package init(sender: MailSender, templates: MailTemplates) {
        self.sender = sender
        self.templates = templates
    }

    /// - Returns: nil for a recipient that is no address.
    package func message(_ mail: Mail) -> MailMessage? {
        let texts = templates[mail.kind, mail.language]
        let link = mail.link.revealedText
        var values: [MailPlaceholder: String] = [.link: link, .email: mail.recipient, .product: sender.product]
        if !link.isEmpty {
            values[.lifetime] = mail.language.lifetime(mail.expiresAt.duration(since: mail.createdAt))
        }
        if mail.kind.placeholders.contains(.code) { values[.code] = link }
        if let placeholder = mail.kind.detailPlaceholder { values[placeholder] = mail.detail }
        return MailMessage(
            id: mail.id, sender: sender, recipient: mail.recipient, language: mail.language, date: mail.createdAt,
            subject: texts.subject.filled(values), text: texts.text.filled(values),
            html: texts.html?.filled(values, HTMLText.escaped))
    }
}

extension Mail.Language {
    /// A duration in the largest unit that divides it, minutes at least.
    func lifetime(_ duration: Duration) -> String {
        let minutes = max(1, duration.components.seconds / 60)
        let units: [(minutes: Int64, one: String, many: String, japanese: String)] = [
            (1440, "day", "days", "日"), (60, "hour", "hours", "時間"), (1, "minute", "minutes", "分"),
        ]
        for unit in units where minutes.isMultiple(of: unit.minutes) {
            let count = minutes / unit.minutes
            switch self {
            case .english: return "\(count) \(count == 1 ? unit.one : unit.many)"
            case .japanese: return "\(count)\(unit.japanese)"
            }
        }
        return ""
    }
}
