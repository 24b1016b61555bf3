import Crypto
package import Identity
import Networking
package import Outbound

extension Settings {
    static let mail = Section(
        title: "Mail",
        settings: [
            Setting(
                "KIDOBAN_SMTP_URL", \.mail.server, .smtp, fallback: .nothing("mail is not sent, and waits"),
                "The mail server."
            ).reloadable,
            Setting(
                "KIDOBAN_SMTP_TLS", \.mail.tls, .choice(Configuration.Mail.TLSNeed.allCases),
                "Whether `smtp://` needs TLS (STARTTLS). With `none`, links travel in the clear."
            ).reloadable,
            Setting(
                "KIDOBAN_SMTP_AUTHORITIES_FILE", optional: \.mail.authoritiesFile, .path,
                fallback: .nothing("the system's authorities"),
                "A PEM file of the authorities to trust for the mail server."
            ).reloadable,
            Setting(
                "KIDOBAN_SMTP_CONNECT_TIMEOUT", \.mail.connectTimeout, .duration(.milliseconds(100) ... .minutes(1)),
                "How long connecting to the mail server may take, TLS included."
            ).reloadable,
            Setting(
                "KIDOBAN_SMTP_TIMEOUT", \.mail.timeout, .duration(.seconds(1) ... .minutes(5)),
                "How long handing over a mail may take. If a copy dies meanwhile, another sends the mail a minute after "
                    + "this."),
            Setting(
                "KIDOBAN_SMTP_CONNECTIONS", \.mail.connections, .count(1...32),
                "Mails that a copy hands over at once."),
            Setting(
                "KIDOBAN_MAIL_SENDER", \.mail.sender, .mailSender, fallback: .nothing("none; mandatory with `KIDOBAN_SMTP_URL`"),
                "Whom mails come from; they call the service by the name."
            ).reloadable,
            Setting(
                "KIDOBAN_MAIL_TEMPLATES", \.mail.templates, .mailTemplates, fallback: .nothing("the built-in texts"),
                "Texts of your own; see `docs/operations.md`."
            ).reloadable,
            Setting(
                "KIDOBAN_MAIL_LONGEST_PAUSE", \.mail.longestPause, .duration(.seconds(1) ... .hours(6)),
                "The longest pause between attempts to send a mail; the first is 30 seconds, then it doubles."),
            Setting(
                "KIDOBAN_MAIL_RETENTION", \.mail.retention, .duration(MailOutbox.window ... .days(90)),
                "How long the outbox remembers who was sent which kind of mail, without its link."),
            Setting(
                "KIDOBAN_UNDO_LIFETIME", \.mail.undoLifetime, .duration(AccountNotices.window ... .days(30)),
                "How long a mailed link can undo a change of the ways into an account."),
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
            "an address, or a name of at most \(MailSender.longestName) characters and one: `Kidoban <no-reply@example.com>`",
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

extension Configuration {
    /// How mail is sent, from whom, and in which words.
    package struct Mail: Sendable {
        /// Whether a connection that began without TLS has to go over to it (RFC 3207).
        package enum TLSNeed: String, Sendable, CaseIterable {
            case required
            case none
        }

        /// Nil where mail is not sent, and waits.
        package var server: SMTPURL?
        package var tls = TLSNeed.required
        package var authoritiesFile: String?
        /// To the end of the TLS handshake.
        package var connectTimeout: Duration = .seconds(10)
        /// Of all that handing over one mail takes.
        package var timeout: Duration = .minutes(1)
        /// Mails under way at once.
        package var connections = 2
        /// Not nil where there is a server.
        package var sender: MailSender?
        package var templates = MailTemplateDirectory()
        package var longestPause = MailDelivery.Policy().longestPause
        /// How long changes of the ways into an account can be undone by the link of the mail that tells of them.
        package var undoLifetime = AccountNotices.Policy().lifetime
        package var retention = MailDelivery.Policy().retention

        package init() {}

        package var policy: MailDelivery.Policy {
            var policy = MailDelivery.Policy()
            policy.connections = connections
            policy.timeout = timeout
            policy.longestPause = longestPause
            policy.retention = retention
            return policy
        }

        /// Nil where nobody has said from whom mail comes.
        package var composer: MailComposer? {
            sender.map { MailComposer(sender: $0, templates: templates.texts) }
        }
    }

    /// Nil where mail is not sent. We greet by the name under which clients know us.
    package var smtp: SMTPConfiguration? {
        guard let server = mail.server else { return nil }
        let name = IssuerURL.host(of: issuer)
        return SMTPConfiguration(
            host: server.host, port: server.port, security: server.isSecure ? .tls : mail.tls == .required ? .startTLS : .none,
            username: server.username, password: server.password, authoritiesFile: mail.authoritiesFile,
            greetingName: IPAddress(name) == nil ? name : "localhost", connectTimeout: mail.connectTimeout, timeout: mail.timeout,
            threads: mail.connections, queueLimit: mail.connections)
    }
}

/// A directory with texts of an operator's, and the texts as they are with those in the place of the built-in ones.
package struct MailTemplateDirectory: Sendable {
    /// Nil for none.
    package var path: String?
    package var texts = MailTemplates.builtIn
    /// Those that the directory has.
    package var files: Set<MailTemplates.Name> = []

    package init() {}
}

extension EnvironmentReader {
    /// Reads the texts of mails, of which every file is looked at whenever the configuration is.
    mutating func readMailTemplates() {
        guard let path = configuration.mail.templates.path else { return }
        let setting = "KIDOBAN_MAIL_TEMPLATES"
        guard isDirectory(path) else { return refuse(setting, .refused("does not name a directory that can be read")) }
        for (name, nearest) in Self.misspelt(files.names(path)) {
            refuse(setting, .refused("has \(name.excerpt), which no mail is written with; the nearest is \(nearest)"))
        }
        var texts: [MailTemplates.Name: String] = [:]
        for name in MailTemplates.Name.all {
            do throws(FileFault) {
                let bytes = try files.read("\(path)/\(name.fileName)").bytes
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    refuse(setting, .refused("has \(name.fileName), which is not text in UTF-8"))
                    continue
                }
                texts[name] = text
            } catch {
                guard error != .missing else { continue }
                refuse(setting, .refused("has \(name.fileName), and \(error.reason)"))
            }
        }
        do throws(MailTemplates.Problems) {
            let all = try MailTemplates(replacing: texts)
            let files = MailTemplates.Name.all.compactMap { name in texts[name].map { "\(name.fileName)\n\($0)" } }
            complete(setting, identity: path + SHA256.hash(files.joined(separator: "\0")).hex) { configuration in
                configuration.mail.templates.texts = all
                configuration.mail.templates.files = Set(texts.keys)
            }
        } catch {
            for problem in error.problems { refuse(setting, .refused("is wrong: \(problem)")) }
        }
    }

    /// Files that look as if they were to be the text of a mail, in the order of their names. Others are nobody's business, such as what is
    /// hidden and the copies that editors leave.
    private static func misspelt(_ names: [String]) -> [(name: String, nearest: String)] {
        let known = MailTemplates.Name.all.map(\.fileName)
        return names.sorted().compactMap { name in
            guard !known.contains(name), !name.hasPrefix("."), !isCopy(name, of: known) else { return nil }
            return NearestName.ofSimilar(name, among: known).map { (name, $0) }
        }
    }

    private static func isCopy(_ name: String, of known: [String]) -> Bool {
        guard let original = known.first(where: { name.hasPrefix($0) }) else { return false }
        let rest = name.dropFirst(original.count)
        return (rest.hasPrefix("~") || rest.hasPrefix(".")) && !rest.hasSuffix(".txt") && !rest.hasSuffix(".html")
    }

    func isDirectory(_ path: String) -> Bool {
        do throws(FileFault) {
            _ = try files.read(path)
            return false
        } catch {
            return error == .isDirectory
        }
    }
}
