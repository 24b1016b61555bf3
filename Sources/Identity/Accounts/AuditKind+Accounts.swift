/// What is recorded of users and their ways in.
extension AuditKind {
    /// How a user came to an identity.
    package enum Linking: String, Sendable, CaseIterable {
        /// The user was made with it.
        case signUp = "sign_up"
        /// A signed-in user asked for it.
        case requested
        /// Provider and user both have the same address, proved.
        case sameEmail = "same_email"
        /// The user has taken the account back from whoever made it with the user's address.
        case reclaimed
    }

    /// Why a signed-in user got no identity, or kept one.
    package enum LinkingFailure: String, Sendable, CaseIterable {
        case identityTaken = "identity_taken"
        case notRecent = "not_recent"
        case lastMethod = "last_method"
    }

    package static let userSignedUp = AuditKind("user_signed_up")
    /// By an operator.
    package static let userCreated = AuditKind("user_created")
    package static let signUpRefused = AuditKind("sign_up_refused", outcome: .refused)
    package static let userUpdated = AuditKind("user_updated")
    package static let userClaimsChanged = AuditKind("user_claims_changed")
    package static let userRolesChanged = AuditKind("user_roles_changed")
    package static let passwordChanged = AuditKind("password_changed")
    package static let userDisabled = AuditKind("user_disabled")
    package static let userEnabled = AuditKind("user_enabled")
    package static let userDeleted = AuditKind("user_deleted")
    /// An operator has taken out all that is stored of the user.
    package static let userExported = AuditKind("user_exported")

    /// An operator has taken over users of another system, or has written out all users.
    package static let usersImported = AuditKind("users_imported")
    package static let usersExported = AuditKind("users_exported")

    package static func identityLinked(_ linking: Linking) -> AuditKind {
        AuditKind("identity_linked", reason: linking.rawValue)
    }

    package static let identityUnlinked = AuditKind("identity_unlinked")

    package static func identityChangeRefused(_ failure: LinkingFailure) -> AuditKind {
        AuditKind("identity_change_refused", reason: failure.rawValue, outcome: .refused)
    }

    /// Somebody had made the account with an address that is not theirs; its owner has it now, and nobody else.
    package static let accountReclaimed = AuditKind("account_reclaimed")
    /// Somebody has proved the address of an account that has another owner, which only claims it from then on.
    package static let addressReleased = AuditKind("address_released")
}
