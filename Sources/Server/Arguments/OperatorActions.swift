package import Crypto
package import Identity
package import Text

/// How an operator names one user.
package enum UserReference: Equatable, Sendable, CustomStringConvertible {
    case id(UserID)
    case email(EmailAddress)

    /// Nil for what is neither an id nor an address.
    init?(_ text: String) {
        if let id = UserID(text) {
            self = .id(id)
        } else if let email = try? EmailAddress(text) {
            self = .email(email)
        } else {
            return nil
        }
    }

    package var description: String {
        switch self {
        case .id(let id): id.description
        case .email(let email): email.normalized
        }
    }
}

/// What to do with users.
package enum UserAction: Equatable, Sendable {
    case create(UserCreation)
    case find(UserSearch)
    case show(UserReference, asJSON: Bool)
    case disable(UserReference)
    case enable(UserReference)
    case signOut(UserReference)
    /// - Parameter isConfirmed: whether nobody has to be asked.
    case delete(UserReference, isConfirmed: Bool)
    case export(UserReference)
    /// - Parameter isGenerated: whether it is made up and printed, instead of read.
    case setPassword(UserReference, isGenerated: Bool)
    case sendReset(UserReference)
    case verifyEmail(UserReference)
}

/// What to do with the counts of the limits.
package enum LimitsAction: Equatable, Sendable {
    /// Empties them for an address, an account, or both; at least one is there.
    case lift(address: String?, account: EmailAddress?)
}

/// A user who is to be made.
package struct UserCreation: Equatable, Sendable {
    package let email: String
    package var displayName: String?
    package var isVerified = false
    /// Whether one is read, from the terminal or the standard input.
    package var hasPassword = true

    package init(email: String) {
        self.email = email
    }
}

/// Which users are looked for.
package struct UserSearch: Equatable, Sendable {
    package enum Term: Equatable, Sendable {
        case id(UserID)
        case prefix(EmailPrefix)
    }

    package static let limits = 1...1000

    package let term: Term
    package var limit = 20
    package var asJSON = false

    package init(_ term: Term) {
        self.term = term
    }
}

/// What to do with the sessions of all users.
package enum SessionsAction: Equatable, Sendable {
    package enum Consent: Equatable, Sendable {
        /// Nothing is ended, only counted.
        case countsOnly
        case asks
        case given
    }

    /// Ends those whose user PostgreSQL does not know or has disabled.
    case prune(Consent)
    /// Ends one, whosever it is.
    case end(SessionID)
}

/// Which audit events are asked for.
package struct AuditQuestion: Equatable, Sendable {
    /// A point in time, as an operator says it.
    package enum Moment: Equatable, Sendable {
        case ago(Duration)
        case at(Timestamp)

        func instant(at now: Timestamp) -> Timestamp {
            switch self {
            case .ago(let duration): now.adding(.zero - duration)
            case .at(let instant): instant
            }
        }
    }

    package static let limits = 1...1_000_000

    package var user: UserReference?
    package var kind: String?
    /// The id of a request.
    package var request: String?
    package var operatorName: String?
    package var since: Moment?
    package var until: Moment?
    /// Nil for all that there are.
    package var limit: Int? = 100
    package var asJSON = false
    /// Whether to go on with what happens from now on.
    package var follows = false

    package init() {}
}

/// What to do with the audit events of old.
package enum AuditRetention: Equatable, Sendable {
    case list(asJSON: Bool)
    /// Makes and drops partitions now.
    case apply
}

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

/// What to do with signing keys.
package enum KeysAction: Equatable, Sendable {
    case list(asJSON: Bool)
    /// Nil for the configured algorithm.
    case rotate(SignatureAlgorithm?)
    case retire(kid: String)
    /// Prints the public parts.
    /// - Parameter kid: of one; nil for all.
    case show(kid: String?, asPEM: Bool)
    /// Seals everything with the present master key.
    case reseal
}
