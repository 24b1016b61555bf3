/// What happened.
package enum AuditKind: Equatable, Sendable {
    /// Why a sign-in failed: told to the operator, never to the caller.
    package enum SignInFailure: String, Sendable, CaseIterable {
        case unknownUser = "unknown_user"
        case wrongPassword = "wrong_password"
        case noPassword = "no_password"
        case disabledUser = "disabled_user"
        /// The password was right, but meanwhile the account was barred or deleted or got another password.
        case accountChanged = "account_changed"
        /// The provider has told us not to trust the identity, or not what it said before.
        case identityBarred = "identity_barred"
        /// A provider's proof with the address of an account that it is not enough for.
        case emailNeedsLinking = "email_needs_linking"
    }

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

    /// Why a client was not taken for what it says to be.
    package enum ClientRefusal: String, Sendable, CaseIterable {
        /// It said nothing of itself that could be understood. Counted only.
        case noCredentials = "no_credentials"
        case unknownClient = "unknown_client"
        /// Or none, where one is needed.
        case wrongSecret = "wrong_secret"
    }

    package enum Outcome: String, Sendable {
        case succeeded, refused
    }

    case userSignedUp
    /// By an operator.
    case userCreated
    case signUpRefused
    case userSignedIn
    case signInFailed(SignInFailure)
    /// A proof of who somebody is elsewhere that proved nothing, and why.
    case proofRefused(IDTokenRefusal)
    case tokenRefreshed(RefreshSessionScript.Issue)
    case refreshRefused
    /// A used refresh token came back: a copy of it is about, and its session was ended.
    case refreshReused
    case tokenRevoked
    case sessionEnded(SessionEnd)
    /// All sessions of one user.
    case allSessionsEnded(SessionEnd)
    case userUpdated
    case passwordChanged
    /// By a code from a mail.
    case passwordReset
    case passwordResetRequested
    case emailVerified
    case emailVerificationRequested
    case userDisabled
    case userEnabled
    case userDeleted
    /// An operator has taken out all that is stored of the user.
    case userExported
    case identityLinked(Linking)
    case identityUnlinked
    case identityChangeRefused(LinkingFailure)
    /// Somebody had made the account with an address that is not theirs; its owner has it now, and nobody else.
    case accountReclaimed
    case clientAdded
    case clientRemoved
    case clientSecretReplaced
    /// Recorded once in a while for each client, however many requests were refused.
    case clientAuthenticationFailed(ClientRefusal)
    case signingKeyCreated
    case signingKeyActivated
    /// Taken out of the key set by an operator, before its time.
    case signingKeyRetired
    /// Nothing that it has signed is good any more.
    case signingKeyRemoved
    /// A budget was used up. Recorded once in a while for each, however many requests were refused.
    case limitReached(LimitBucket)
    case provider(ProviderAudit)
    /// The mail server has refused a mail for good.
    case mailGivenUp

    /// As it is stored.
    package var name: String {
        switch self {
        case .userSignedUp: "user_signed_up"
        case .userCreated: "user_created"
        case .signUpRefused: "sign_up_refused"
        case .userSignedIn: "user_signed_in"
        case .signInFailed: "sign_in_failed"
        case .proofRefused: "proof_refused"
        case .tokenRefreshed: "token_refreshed"
        case .refreshRefused: "refresh_refused"
        case .refreshReused: "refresh_reused"
        case .tokenRevoked: "token_revoked"
        case .sessionEnded: "session_ended"
        case .allSessionsEnded: "all_sessions_ended"
        case .userUpdated: "user_updated"
        case .passwordChanged: "password_changed"
        case .passwordReset: "password_reset"
        case .passwordResetRequested: "password_reset_requested"
        case .emailVerified: "email_verified"
        case .emailVerificationRequested: "email_verification_requested"
        case .userDisabled: "user_disabled"
        case .userEnabled: "user_enabled"
        case .userDeleted: "user_deleted"
        case .userExported: "user_exported"
        case .identityLinked: "identity_linked"
        case .identityUnlinked: "identity_unlinked"
        case .identityChangeRefused: "identity_change_refused"
        case .accountReclaimed: "account_reclaimed"
        case .clientAdded: "client_added"
        case .clientRemoved: "client_removed"
        case .clientSecretReplaced: "client_secret_replaced"
        case .clientAuthenticationFailed: "client_authentication_failed"
        case .limitReached: "limit_reached"
        case .signingKeyCreated: "signing_key_created"
        case .signingKeyActivated: "signing_key_activated"
        case .signingKeyRetired: "signing_key_retired"
        case .signingKeyRemoved: "signing_key_removed"
        case .provider(let event): event.name
        case .mailGivenUp: "mail_given_up"
        }
    }

    /// What distinguishes events of one name.
    package var reason: String? {
        switch self {
        case .signInFailed(let failure): failure.rawValue
        case .proofRefused(let refusal): refusal.reason
        case .tokenRefreshed(let issue): issue.rawValue
        case .sessionEnded(let end), .allSessionsEnded(let end): end.rawValue
        case .identityLinked(let linking): linking.rawValue
        case .identityChangeRefused(let failure): failure.rawValue
        case .limitReached(let bucket): bucket.name
        case .clientAuthenticationFailed(let refusal): refusal.rawValue
        case .provider(let event): event.reason
        case .userSignedUp, .userCreated, .signUpRefused, .userSignedIn, .refreshRefused, .refreshReused, .tokenRevoked,
            .userUpdated,
            .passwordChanged, .passwordReset, .passwordResetRequested, .emailVerified, .emailVerificationRequested,
            .userDisabled, .userEnabled, .userDeleted, .userExported, .identityUnlinked, .accountReclaimed, .clientAdded,
            .clientRemoved,
            .clientSecretReplaced, .signingKeyCreated, .signingKeyActivated, .signingKeyRetired,
            .signingKeyRemoved, .mailGivenUp:
            nil
        }
    }

    package var outcome: Outcome {
        switch self {
        case .signUpRefused, .signInFailed, .proofRefused, .refreshRefused, .refreshReused, .identityChangeRefused,
            .clientAuthenticationFailed, .limitReached, .mailGivenUp:
            .refused
        case .userSignedUp, .userCreated, .userSignedIn, .tokenRefreshed, .tokenRevoked, .sessionEnded, .allSessionsEnded,
            .userUpdated,
            .passwordChanged, .passwordReset, .passwordResetRequested, .emailVerified, .emailVerificationRequested,
            .userDisabled, .userEnabled, .userDeleted, .userExported, .identityLinked, .identityUnlinked, .accountReclaimed,
            .clientAdded,
            .clientRemoved, .clientSecretReplaced, .signingKeyCreated, .signingKeyActivated, .signingKeyRetired,
            .signingKeyRemoved:
            .succeeded
        case .provider(let event): event.outcome
        }
    }
}
