package import Text

/// A person with an account. The password hash is not part of it, so that it cannot travel along by accident.
package struct User: Equatable, Sendable {
    package let id: UserID
    /// Absent for a user who is anonymous, or whose provider tells none.
    package let email: EmailAddress?
    package let emailVerified: Bool
    package let displayName: DisplayName?
    package let photoURL: PhotoURL?
    /// As an import or an API has stored it. Nobody has proved it, and nothing is sent to it.
    package let phoneNumber: String?
    /// Who has signed in without saying who they are.
    package let isAnonymous: Bool
    /// For the user's tokens; no member has a name that is reserved (`CustomClaims`).
    package let claims: JSONObject
    /// For the user's tokens (`Roles`).
    package let roles: [String]
    /// Tokens and cookies that were issued before are void for whoever checks them by this instant.
    package let tokensValidAfter: Timestamp?
    /// Grows whenever all sessions of the user are ended; a sign-in that began under an older number is void.
    package let credentialsVersion: Int64
    package let disabledAt: Timestamp?
    package let createdAt: Timestamp
    package let updatedAt: Timestamp
    package let lastSignInAt: Timestamp?
    /// Where the oldest of the user's identities is; nil when there is none.
    package let firstProvider: ProviderID?
    /// Whether the address is no more than what a client or a provider has said of the user. It reserves nothing then, and nobody is found by
    /// it; it becomes the user's when it is proved, unless somebody else has it by then.
    package let emailClaimed: Bool

    package init(
        id: UserID, email: EmailAddress?, emailVerified: Bool = false, displayName: DisplayName? = nil, photoURL: PhotoURL? = nil,
        phoneNumber: String? = nil, isAnonymous: Bool = false, claims: JSONObject = JSONObject(), roles: [String] = [],
        tokensValidAfter: Timestamp? = nil, credentialsVersion: Int64 = 0, disabledAt: Timestamp? = nil, createdAt: Timestamp,
        updatedAt: Timestamp, lastSignInAt: Timestamp? = nil,
        firstProvider: ProviderID? = nil, emailClaimed: Bool = false
    ) {
        self.id = id
        self.email = email
        self.emailVerified = emailVerified
        self.displayName = displayName
        self.photoURL = photoURL
        self.phoneNumber = phoneNumber
        self.isAnonymous = isAnonymous
        self.claims = claims
        self.roles = roles
        self.tokensValidAfter = tokensValidAfter
        self.credentialsVersion = credentialsVersion
        self.disabledAt = disabledAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.lastSignInAt = lastSignInAt
        self.firstProvider = firstProvider
        self.emailClaimed = emailClaimed
    }

    /// By what attempts at the account are counted together: the address if it is the user's, so that a stranger's attempts count alike
    /// whether or not there is such a user. Who has none, or only claims one, is counted by id.
    package var account: String {
        guard let email, !emailClaimed else { return "user:\(id)" }
        return email.normalized
    }

    package var isDisabled: Bool {
        disabledAt != nil
    }
}

/// What becomes of a field that may be empty.
package enum FieldChange<Value: Sendable>: Sendable {
    case keep
    /// Nil empties it.
    case set(Value?)

    var changes: Bool {
        switch self {
        case .keep: false
        case .set: true
        }
    }

    /// Nil also for a field that keeps what it has.
    var value: Value? {
        switch self {
        case .keep: nil
        case .set(let value): value
        }
    }
}
