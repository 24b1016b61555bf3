import Identity

extension Settings {
    static let mail = Section(
        title: "Mail",
        settings: [
            Setting(
                "KIDOBAN_SMTP_URL", \.mail.server, .smtp, fallback: .nothing("mail is not sent, and waits"),
                "The mail server that takes mail from us."
            ).reloadable,
            Setting(
                "KIDOBAN_SMTP_TLS", \.mail.tls, .choice(Configuration.Mail.TLSNeed.allCases),
                "Whether a connection to `smtp://` has to go over to TLS (STARTTLS). With `none` mails and the links in them travel in "
                    + "the clear: for this machine, or a network that is as safe."
            ).reloadable,
            Setting(
                "KIDOBAN_SMTP_AUTHORITIES_FILE", optional: \.mail.authoritiesFile, .path,
                fallback: .nothing("the system's authorities"),
                "A PEM file of the certificate authorities to trust for the mail server."
            ).reloadable,
            Setting(
                "KIDOBAN_SMTP_CONNECT_TIMEOUT", \.mail.connectTimeout, .duration(.milliseconds(100) ... .minutes(1)),
                "How long connecting to the mail server may take, the TLS handshake included."
            ).reloadable,
            Setting(
                "KIDOBAN_SMTP_TIMEOUT", \.mail.timeout, .duration(.seconds(1) ... .minutes(5)),
                "How long handing over a mail may take in all. A copy that dies meanwhile leaves the mail to another one after this and a "
                    + "minute more."),
            Setting(
                "KIDOBAN_SMTP_CONNECTIONS", \.mail.connections, .count(1...32),
                "Mails that a copy hands over at once."),
            Setting(
                "KIDOBAN_MAIL_SENDER", \.mail.sender, .mailSender, fallback: .nothing("none; mandatory with `KIDOBAN_SMTP_URL`"),
                "Whom mails come from. The name is what they call the service."
            ).reloadable,
            Setting(
                "KIDOBAN_MAIL_TEMPLATES", \.mail.templates, .mailTemplates, fallback: .nothing("the built-in texts"),
                "A directory with texts of your own for mails, such as `password_reset.en.txt`; docs/operations.md says how."
            ).reloadable,
            Setting(
                "KIDOBAN_MAIL_LONGEST_PAUSE", \.mail.longestPause, .duration(.seconds(1) ... .hours(6)),
                "The longest pause before a mail is tried again that the mail server has put off; the first is 30 seconds, the next ones "
                    + "double."),
            Setting(
                "KIDOBAN_MAIL_RETENTION", \.mail.retention, .duration(MailOutbox.window ... .days(90)),
                "How long the outbox remembers that there was a mail: whose, when and of which kind. Its link is gone as soon as it is "
                    + "sent or of no use."),
            Setting(
                "KIDOBAN_UNDO_LIFETIME", \.mail.undoLifetime, .duration(AccountNotices.window ... .days(30)),
                "How long a change of the ways into an account can be undone by the link of the mail that tells its owner."),
        ])
}

extension SettingFormat where Value == SMTPURL? {
    fileprivate static var smtp: SettingFormat {
        SettingFormat(
            "`smtp://[user:password@]host[:port]` (port 587) or `smtps://…` (port 465), or nothing", isSecret: true,
            acceptsEmpty: true,
            parse: { text throws(SettingRefusal) in text.isEmpty ? nil : try SMTPURL(text) },
            render: { value, _ in value?.redacted ?? "" })
    }
}

extension SettingFormat where Value == MailSender? {
    fileprivate static var mailSender: SettingFormat {
        SettingFormat(
            "an address, or a name of at most \(MailSender.longestName) characters and an address such as "
                + "`Kidoban <no-reply@example.com>`",
            acceptsEmpty: true,
            parse: { text throws(SettingRefusal) in
                guard !text.isEmpty else { return nil }
                guard let sender = MailSender(text) else {
                    throw SettingRefusal("is no address, and no name with one in < and >")
                }
                return sender
            },
            render: { value, _ in value?.text ?? "" })
    }
}

extension SettingFormat where Value == MailTemplateDirectory {
    /// The files in it are read later (`readMailTemplates`).
    fileprivate static var mailTemplates: SettingFormat {
        SettingFormat(
            "the path of a directory", acceptsEmpty: true,
            parse: { text throws(SettingRefusal) in
                var directory = MailTemplateDirectory()
                if !text.isEmpty { directory.path = text }
                return directory
            },
            render: { value, _ in value.path?.printable ?? "" })
    }
}
