import Identity
import Outbound

/// Whether mail can be sent, and how much of it waits. The texts of mails were looked at with the configuration.
enum MailCheck {
    static let name = "mail"

    /// - Parameters:
    ///   - waiting: mails in the outbox; nil where nobody could ask.
    ///   - answer: of the mail server; nil while none is configured.
    static func finding(
        of configuration: Configuration, waiting: Int?, answer: Result<Void, SMTPError>?
    ) -> Finding {
        let count = waiting.map { $0 == 1 ? "1 mail waits" : "\($0) mails wait" }
        switch answer {
        case nil:
            return Finding(
                name, .advice("set KIDOBAN_SMTP_URL and KIDOBAN_MAIL_SENDER; until then nobody gets a link for a new password"),
                "no mail is sent" + (count.map { ", \($0)" } ?? ""))
        case .success:
            return Finding(name, .ok, "the mail server takes mail from us" + (count.map { ", \($0)" } ?? ""))
        case .failure(let error):
            return Finding(name, .problem(remedy(for: error, configuration.mail)), words(error) + (count.map { "; \($0)" } ?? ""))
        }
    }

    private static func words(_ error: SMTPError) -> String {
        switch error {
        case .invalidMessage: "the mail server's name cannot be used"
        case .refused(let code): "the mail server refuses us (\(code))"
        case .deferred(let code): "the mail server has no time for us (\(code))"
        case .authentication(let text): "the mail server does not take the user name and password (\(text))"
        case .timedOut: "the mail server does not answer in time"
        case .tls(let text): "no trusted TLS with the mail server (\(text))"
        case .connection(let text): "the mail server cannot be reached (\(text))"
        case .overloaded: "busy"
        }
    }

    private static func remedy(for error: SMTPError, _ mail: Configuration.Mail) -> String {
        switch error {
        case .authentication: "correct user name and password in KIDOBAN_SMTP_URL; @, :, / and % in them need %-escapes"
        case .tls where mail.server?.isSecure ?? false:
            "see that the server speaks TLS from the start on this port (smtps://, usually 465) and that its certificate is for the name "
                + "in KIDOBAN_SMTP_URL; for an authority of your own set KIDOBAN_SMTP_AUTHORITIES_FILE"
        case .tls:
            "see that the server offers STARTTLS on this port (usually 587) with a certificate for the name in KIDOBAN_SMTP_URL; for an "
                + "authority of your own set KIDOBAN_SMTP_AUTHORITIES_FILE; for TLS from the start write smtps://"
        case .refused, .deferred:
            "ask whoever operates the mail server whether it takes mail from this machine, and to this address"
        case .timedOut, .connection, .invalidMessage, .overloaded:
            "see that KIDOBAN_SMTP_URL has the right host and port, and that this machine may connect there"
        }
    }
}
