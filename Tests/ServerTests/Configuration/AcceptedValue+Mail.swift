import Identity
import Outbound
import Text

@testable import Server

extension AcceptedValue {
    private static let sender = ["KIDOBAN_MAIL_SENDER": "no-reply@example.com"]
    private static let server = sender.merging(["KIDOBAN_SMTP_URL": "smtp://mail.example.com"]) { $1 }

    static let mail: [AcceptedValue] = [
        .init("KIDOBAN_SMTP_URL", "smtp://mail.example.com", shown: "smtp://mail.example.com:587", with: sender) {
            $0.smtp?.host == "mail.example.com" && $0.smtp?.port == 587 && $0.smtp?.security == .startTLS
                && $0.smtp?.username == nil && $0.smtp?.greetingName == "localhost"
        },
        .init(
            "KIDOBAN_SMTP_URL", "smtps://u%40example.com:p%3A%2F%25w@[::1]:2465/",
            shown: "smtps://‹redacted›:‹redacted›@[::1]:2465",
            with: sender
        ) {
            $0.smtp?.host == "::1" && $0.smtp?.port == 2465 && $0.smtp?.security == .tls
                && $0.smtp?.username == "u@example.com" && $0.smtp?.password.revealedText == "p:/%w"
        },
        .init("KIDOBAN_SMTP_URL", "") { $0.smtp == nil },
        .init("KIDOBAN_SMTP_TLS", "none", with: server) { $0.smtp?.security == SMTPConfiguration.Security.none },
        .init("KIDOBAN_SMTP_TLS", "required", with: server) { $0.smtp?.security == .startTLS },
        .init("KIDOBAN_SMTP_AUTHORITIES_FILE", "/etc/ca.pem", with: server) { $0.smtp?.authoritiesFile == "/etc/ca.pem" },
        .init("KIDOBAN_SMTP_CONNECT_TIMEOUT", "3s", with: server) { $0.smtp?.connectTimeout == .seconds(3) },
        .init("KIDOBAN_SMTP_TIMEOUT", "90s", with: server) {
            $0.smtp?.timeout == .seconds(90) && $0.mail.policy.timeout == .seconds(90)
        },
        .init("KIDOBAN_SMTP_CONNECTIONS", "3", with: server) { $0.smtp?.threads == 3 && $0.mail.policy.connections == 3 },
        .init("KIDOBAN_MAIL_SENDER", "Kidoban 本店 <No-Reply@Example.com>", shown: "Kidoban 本店 <no-reply@example.com>") {
            $0.mail.composer?.sender.product == "Kidoban 本店"
        },
        .init("KIDOBAN_MAIL_SENDER", "") { $0.mail.composer == nil },
        .init("KIDOBAN_MAIL_TEMPLATES", "/etc/mail") { $0.mail.templates.path == "/etc/mail" },
        .init("KIDOBAN_MAIL_TEMPLATES", "") { $0.mail.templates.texts == .builtIn },
        .init("KIDOBAN_JOBS_POLL_INTERVAL", "250ms") { $0.jobs.pollInterval == .milliseconds(250) },
        .init("KIDOBAN_JOBS_AT_ONCE", "9") { $0.jobs.parallelism == 9 },
        .init("KIDOBAN_MAIL_LONGEST_PAUSE", "5m") { $0.mail.policy.longestPause == .seconds(300) },
        .init("KIDOBAN_MAIL_RETENTION", "2d") { $0.mail.policy.retention == .seconds(2 * 86_400) },
        .init("KIDOBAN_UNDO_LIFETIME", "3d") { $0.mail.undoLifetime == .seconds(3 * 86_400) },
    ]
}
