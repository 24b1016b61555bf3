package import Text

/// A user as imports bring and exports take: all that is needed to have the same user elsewhere.
package struct TransferUser: Equatable, Sendable {
    package struct Identity: Equatable, Sendable {
        package var provider: ProviderID
        package var subject: String
        package var audience = ""
        package var email: String?
        package var emailVerified = false
        package var isPrivateEmail = false
        package var createdAt: Timestamp?
        package var lastUsedAt: Timestamp?
        /// As the provider has said.
        package var mailForwarding: Bool?
        package var mailForwardingChangedAt: Timestamp?
        package var blockedAt: Timestamp?
        package var standingChangedAt: Timestamp?
        package var idTokensVoidBefore: Timestamp?

        /// Nil for a subject that can be none.
        package init?(provider: ProviderID, subject: String) {
            guard (1...ExternalIdentity.maximumSubjectLength).contains(subject.utf8.count), !subject.utf8.contains(0) else {
                return nil
            }
            self.provider = provider
            self.subject = subject
        }
    }

    /// Of clients of rest-auth.
    package struct ProfileData: Equatable, Sendable {
        /// Nil for the next one.
        package var number: Int64?
        package var username: Username
        package var firstName = ""
        package var lastName = ""

        package init(username: Username) {
            self.username = username
        }
    }

    /// Ids that the user has in other systems; by the first it is known whether the user is here already.
    package var aliases: [UserAlias] = []
    /// The id that the user is to have; nil for a new one.
    package var id: UserID?
    package var email: EmailAddress?
    package var emailVerified = false
    /// Nil to have it follow from the rest.
    package var emailClaimed: Bool?
    package var emailConfirmedAt: Timestamp?
    package var passwordHash: String?
    package var displayName: DisplayName?
    package var photoURL: PhotoURL?
    package var phoneNumber: String?
    package var isAnonymous = false
    /// Nil where the other system has no such thing; then those that a user has here stay.
    package var claims: JSONObject?
    package var roles: [String]?
    package var disabledAt: Timestamp?
    package var createdAt: Timestamp?
    package var updatedAt: Timestamp?
    package var lastSignInAt: Timestamp?
    package var tokensValidAfter: Timestamp?
    package var identities: [Identity] = []
    package var profile: ProfileData?
    package var appSettings: JSONObject?

    package init() {}

    /// Whether the address reserves nothing: as a provider's user has it whom nobody has proved (`Accounts.create`). Who has neither a password
    /// nor an identity gets in by a mail alone, and so must be found by the address.
    var claimsAddress: Bool {
        emailClaimed ?? (email != nil && !emailVerified && passwordHash == nil && !identities.isEmpty)
    }
}

/// Why a user of a file does not become a user here, or does so without something.
package struct TransferProblem: Error, Equatable, Sendable {
    package enum Reason: String, Sendable, CaseIterable {
        // Of the file.
        case malformed, truncated
        case tooLarge = "too_large"
        case notText = "not_text"
        // Of the user.
        case id, email, claims, roles, identity, profile, deleted
        case passwordHash = "password_hash"
        case noHashConfig = "no_hash_config"
        case duplicate
        // Of who is here already.
        case emailTaken = "email_taken"
        case identityTaken = "identity_taken"
        case idTaken = "id_taken"
        case usernameTaken = "username_taken"
        case phoneTaken = "phone_taken"
        /// PostgreSQL will not have it.
        case refused
        // What is left out.
        case displayName = "display_name"
        case photoURL = "photo_url"
        case phoneNumber = "phone_number"
        case time
    }

    package let reason: Reason
    /// For the operator: no secret.
    package let detail: String

    package init(_ reason: Reason, _ detail: String = "") {
        self.reason = reason
        self.detail = detail
    }
}

/// What a record of a file is read as.
package enum TransferRecord: Sendable {
    /// - Parameter omitted: what the user is imported without.
    case user(TransferUser, omitted: [TransferProblem])
    /// An address of a user of the same file was proved.
    case provedAddress(UserAlias, EmailAddress)
    /// - Parameter id: as the file has it, if that much can be read.
    case refused(id: String?, TransferProblem)
    /// Of something else than users.
    case ignored
}
