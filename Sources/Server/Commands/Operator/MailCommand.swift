import Crypto
import Glibc
package import Identity
import Outbound
import Text

/// What to do with mails.
package enum MailAction: Equatable, Sendable {
    /// Prints what waits.
    case show(asJSON: Bool)
    /// Has all that was put off tried at once.
    case retry
    /// Sends a mail.
    case test(EmailAddress)
    /// Prints a built-in text; nil for the list of all.
    case templates(MailTemplates.Name?)
}

extension MailAction {
    static func parseShow(_ rest: ArraySlice<String>) throws(ArgumentsError) -> MailAction {
        let scanner = try ArgumentScanner(rest, options: [.init(name: "--json", takesValue: false)], topic: .mailShow)
        _ = try scanner.positional()
        return .show(asJSON: scanner.isGiven("--json"))
    }

    static func parseTest(_ rest: ArraySlice<String>) throws(ArgumentsError) -> MailAction {
        let scanner = try ArgumentScanner(rest, options: [], topic: .mailTest)
        let text = try scanner.positional("ADDRESS")[0]
        guard let address = try? EmailAddress(text) else {
            throw scanner.failure(.invalid("ADDRESS", expected: "an e-mail address"))
        }
        return .test(address)
    }

    static func parseTemplates(_ rest: ArraySlice<String>) throws(ArgumentsError) -> MailAction {
        let scanner = try ArgumentScanner(rest, options: [], topic: .mailTemplates)
        guard !scanner.positional.isEmpty else { return .templates(nil) }
        let text = try scanner.positional("FILE")[0]
        guard let name = MailTemplates.Name.all.first(where: { $0.fileName == text }) else {
            throw scanner.failure(.invalid("FILE", expected: "a name such as \(MailTemplates.Name.all[0].fileName)"))
        }
        return .templates(name)
    }
}

/// `kidoban mail`: shows what waits in the outbox, sends a mail to try the mail server, and prints the texts of mails.
enum MailCommand {
    /// Mails that are shown at most.
    private static let shown = 100

    /// - Returns: one of `ExitStatus`.
    static func run(_ action: MailAction, _ configuration: Configuration, _ console: Console) async -> Int32 {
        switch action {
        case .show(let asJSON): await show(asJSON: asJSON, configuration, console)
        case .retry: await retry(configuration, console)
        case .test(let address): await test(address, configuration, console)
        case .templates(nil): console.print(list(configuration))
        case .templates(let name?): console.print(MailTemplates.builtInText(name))
        }
    }

    /// With the links, which are for the recipients alone: for who develops, or helps a user by hand.
    private static func show(asJSON: Bool, _ configuration: Configuration, _ console: Console) async -> Int32 {
        await OperatorContext.run(configuration, console) { context throws(Complaint) in
            let found = try await context.administer { admin throws(AdministrationError) in
                try await admin.waitingMails(shown + 1)
            }
            let mails = found.prefix(shown)
            if found.count > shown { console.complain("there are more than these \(shown)") }
            if asJSON { return console.print(mails.map { $0.document.line }.joined()) }
            guard !mails.isEmpty else { return console.print("No mail waits.\n") }
            return console.print(mails.map(\.text).joined(separator: "\n"))
        }
    }

    private static func retry(_ configuration: Configuration, _ console: Console) async -> Int32 {
        await OperatorContext.run(configuration, console) { context throws(Complaint) in
            let count = try await context.administer { admin throws(AdministrationError) in try await admin.retryMails() }
            let period = DurationText.render(configuration.jobs.pollInterval)
            let rest = DurationText.render(MailDelivery.longestRest)
            let when = "A server looks every \(period); one that the mail server did not answer, within \(rest)."
            return console.print(
                count == 0 ? "No mail was put off. \(when)\n" : "\(Counted(count, "mail")) will be tried at once. \(when)\n")
        }
    }

    private static func test(_ address: EmailAddress, _ configuration: Configuration, _ console: Console) async -> Int32 {
        _ = signal(SIGPIPE, SIG_IGN)
        guard let smtp = configuration.smtp, let sender = configuration.mail.sender else {
            console.complain("KIDOBAN_SMTP_URL is not set: there is no mail server to send it to")
            return ExitStatus.failure
        }
        let now = Timestamp.now()
        let message = MailMessage(
            id: UUID(version7At: now, random: SecureRandom.bytes(10)), sender: sender, recipient: address.normalized,
            language: .english, date: now, subject: "A test mail from \(sender.product)",
            text: "Somebody has asked Kidoban at \(configuration.issuer) to send this mail, to see whether mail arrives.",
            html: nil)
        guard let message else {
            console.complain("no mail can be written to this address")
            return ExitStatus.failure
        }
        let client = SMTPClient(smtp)
        defer { client.stop() }
        do throws(SMTPError) {
            try await client.send(
                SMTPMessage(sender: sender.address.normalized, recipient: message.recipient, content: message.bytes))
            return console.print("The mail server has taken the mail \(message.messageID).\n")
        } catch {
            let finding = MailCheck.finding(of: configuration, waiting: nil, answer: .failure(error))
            console.complain(finding.detail + (finding.result.remedy.map { ": \($0)" } ?? ""))
            return ExitStatus.failure
        }
    }

    private static func list(_ configuration: Configuration) -> String {
        let own = configuration.mail.templates
        return TextTable.render(
            ["FILE", "FROM"],
            MailTemplates.Name.all.map { name in [name.fileName, own.files.contains(name) ? own.path ?? "" : "built in"] })
    }
}

extension StoredMail {
    private static let isUnreadable = "it is of a newer version, or does not open with this master key"

    /// For people; ends in a line feed.
    fileprivate var text: String {
        let attempts = attempts == 0 ? "not tried yet" : "tried \(self.attempts) times"
        let head =
            "\(createdAt.brief)  \(kind.printable) to \(recipient.printable), \(attempts), of use until \(expiresAt.brief)\n"
        guard let mail else { return head + "  (\(Self.isUnreadable))\n" }
        return head + (mail.link.isEmpty ? "  (without a link)\n" : "  \(mail.link.revealedText)\n")
    }

    fileprivate var document: JSONObject {
        var object = JSONObject()
        object["id"] = .string(id.description)
        object["kind"] = .string(kind)
        object["recipient"] = .string(recipient)
        object["created_at"] = .string(createdAt.iso8601)
        object["expires_at"] = .string(expiresAt.iso8601)
        object["attempts"] = .integer(Int64(attempts))
        object["link"] = mail.map { .string($0.link.revealedText) } ?? .null
        return object
    }
}
