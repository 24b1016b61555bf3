package import Text

/// A person with an account. The password hash is not part of it, so that it cannot travel along by accident.
package struct User: Equatable, Sendable {
    package let id: UserID
    package let email: EmailAddress
    package let emailVerified: Bool
    package let displayName: DisplayName?
    package let photoURL: PhotoURL?
    package let settings: UserSettings
    /// Claims that an operator has given to the user, for their tokens.
    package let claims: JSONObject
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
        id: UserID, email: EmailAddress, emailVerified: Bool = false, displayName: DisplayName? = nil, photoURL: PhotoURL? = nil,
        settings: UserSettings = UserSettings(), claims: JSONObject = JSONObject(), credentialsVersion: Int64 = 0,
        disabledAt: Timestamp? = nil, createdAt: Timestamp, updatedAt: Timestamp, lastSignInAt: Timestamp? = nil,
        firstProvider: ProviderID? = nil, emailClaimed: Bool = false
    ) {
        self.id = id
        self.email = email
        self.emailVerified = emailVerified
        self.displayName = displayName
        self.photoURL = photoURL
        self.settings = settings
        self.claims = claims
        self.credentialsVersion = credentialsVersion
        self.disabledAt = disabledAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.lastSignInAt = lastSignInAt
        self.firstProvider = firstProvider
        self.emailClaimed = emailClaimed
    }

    /// By what attempts at the account are counted together: the address if it is the user's, so that a stranger's attempts count alike
    /// whether or not there is such a user. Who only claims an address has no part in its owner's.
    package var account: String {
        emailClaimed ? "user:\(id)" : email.normalized
    }

    package var isDisabled: Bool {
        disabledAt != nil
    }
}
