package import Outbound

/// Why a mail was not sent.
package enum MailFailure: Equatable, Sendable {
    /// The mail server has refused it for good (RFC 5321 §4.2.1, 5yz).
    case refused(Int)
    /// Its recipient is no address that can be written to.
    case unwritable
    /// The mail server takes it later (4yz).
    case deferred(Int)
    /// Nobody knows whether there is a mail server, or whether it has understood.
    case unreachable(Trouble)
    /// The mail server cannot take any mail of ours, and this one was not looked at.
    case halted(Trouble)
    /// Too many mails at once.
    case busy
    /// It does not open with our master key.
    case unreadable

    /// What is wrong with the mail server, whatever the mail.
    package enum Trouble: Equatable, Sendable {
        case connection(String)
        case timedOut
        case tls(String)
        case authentication(String)

        /// A word for the log.
        package var name: String {
            switch self {
            case .connection: "connection"
            case .timedOut: "timeout"
            case .tls: "tls"
            case .authentication: "authentication"
            }
        }

        /// What the library says of it; nothing that was sent.
        package var detail: String {
            switch self {
            case .connection(let text), .tls(let text), .authentication(let text): text
            case .timedOut: ""
            }
        }
    }

    package init(_ error: SMTPError) {
        self =
            switch error {
            case .invalidMessage: .unwritable
            case .refused(let code): .refused(code)
            case .deferred(let code): .deferred(code)
            case .authentication(let text): .halted(.authentication(text))
            case .tls(let text): .halted(.tls(text))
            case .timedOut: .unreachable(.timedOut)
            case .connection(let text): .unreachable(.connection(text))
            case .overloaded: .busy
            }
    }

    /// Whether it is the mail server's word about this mail, which therefore takes mail from us.
    var isAnswer: Bool {
        switch self {
        case .refused, .deferred: true
        case .unwritable, .unreachable, .halted, .busy, .unreadable: false
        }
    }

    /// As it is stored and logged.
    package var text: String {
        switch self {
        case .refused(let code): "refused (\(code))"
        case .unwritable: "the recipient cannot be written to"
        case .deferred(let code): "deferred (\(code))"
        case .unreachable(let trouble), .halted(let trouble): trouble.name
        case .busy: "busy"
        case .unreadable: "it does not open with this master key"
        }
    }
}

extension AuditKind {
    /// The mail server has refused a mail for good.
    package static let mailGivenUp = AuditKind("mail_given_up", outcome: .refused)
}
