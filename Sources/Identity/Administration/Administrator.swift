/// Who administers: a person by name, whence, and what they may do.
package struct Administrator: Equatable, Sendable {
    package enum Source: String, Sendable {
        /// The command line of the server.
        case command
        /// An HTTP API.
        case api
    }

    package enum Permission: String, Sendable, CaseIterable {
        case readUsers = "users:read"
        /// To make, disable and enable users, and to change how they sign in.
        case changeUsers = "users:write"
        case deleteUsers = "users:delete"
        /// To take out everything that is stored of a user.
        case exportUsers = "users:export"
        case endSessions = "sessions:end"
        case liftLimits = "limits:lift"
        /// To see mails that wait, with their links: whoever may do that can sign in as anybody.
        case readMails = "mails:read"
        case retryMails = "mails:retry"
        case readAudit = "audit:read"
        case readKeys = "keys:read"
        case manageKeys = "keys:write"
        case readClients = "clients:read"
        case manageClients = "clients:write"
    }

    /// What audit events call them; nil where nobody has said. It proves nothing by itself: the source has to.
    package let name: String?
    package let source: Source
    package let permissions: Set<Permission>

    package init(name: String?, source: Source, permissions: Set<Permission>) {
        self.name = name
        self.source = source
        self.permissions = permissions
    }

    /// Whoever has the command line of the server has the database and the keys: they may do everything.
    package static func command(_ name: String?) -> Administrator {
        Administrator(name: name, source: .command, permissions: Set(Permission.allCases))
    }

    /// As audit events name them.
    package var actor: AuditEvent.Actor {
        .administrator(name: name, source: source == .command ? nil : source.rawValue)
    }
}

/// Why an administrator did not get what they asked for.
package enum AdministrationError: Error, Equatable, Sendable {
    case notPermitted(Administrator.Permission)
    /// By the rules that hold for everybody.
    case refused(IdentityError)
    /// The signing keys could not be read or changed.
    case keys(SigningKeyStore.Failure)
}
