package import Text

/// Something that happened to a person's account at a provider, as the provider tells it.
package enum ProviderEvent: Equatable, Sendable {
    /// Why Google has disabled an account.
    package enum Disabling: Equatable, Sendable {
        /// Somebody else has it.
        case hijacking
        /// It was made along with many others.
        case bulkAccount
        case unspecified
    }

    /// Mail to the private relay address is forwarded again, or no longer; and since when.
    case mailForwarding(isOn: Bool, at: Timestamp?)
    /// The user has disconnected our app.
    case consentRevoked
    case accountDeleted
    case sessionsRevoked
    /// All of the tokens that we hold.
    case tokensRevoked
    /// One token, of which nothing but a digest is told.
    case tokenRevoked
    case accountDisabled(Disabling)
    case accountEnabled
    /// The user should prove more before anything that matters.
    case credentialChangeRequired
    /// A test that was asked for.
    case verification(state: String?)
    /// None that we know.
    case unknown

    /// For logs and audit events.
    package var name: String {
        switch self {
        case .mailForwarding(isOn: true, at: _): "email_enabled"
        case .mailForwarding(isOn: false, at: _): "email_disabled"
        case .consentRevoked: "consent_revoked"
        case .accountDeleted: "account_deleted"
        case .sessionsRevoked: "sessions_revoked"
        case .tokensRevoked: "tokens_revoked"
        case .tokenRevoked: "token_revoked"
        case .accountDisabled(.hijacking): "account_disabled_hijacking"
        case .accountDisabled(.bulkAccount): "account_disabled_bulk_account"
        case .accountDisabled(.unspecified): "account_disabled"
        case .accountEnabled: "account_enabled"
        case .credentialChangeRequired: "account_credential_change_required"
        case .verification: "verification"
        case .unknown: "unknown"
        }
    }
}

/// What we do with an identity when its provider tells us of an event. Each step may be repeated without harm.
package enum NoticeStep: Equatable, Sendable {
    package enum Scope: Equatable, Sendable {
        /// Only sign-ins that are under way are void.
        case none
        /// Those that began with the provider.
        case ofProvider
        case all
    }

    case setMailForwarding(isOn: Bool, at: Timestamp?)
    /// Id tokens from before what the notice tells of count no longer, so that the user has to consent anew; and sessions end.
    case requireNewIDToken(ending: Scope)
    /// No sign-in with the identity until it is unblocked; and sessions end.
    case block(ending: Scope)
    /// The same, whatever the provider says afterwards of an earlier time.
    case blockForGood(ending: Scope)
    case unblock
    /// They are worthless already, so they are not revoked.
    case forgetTokens
    /// Takes the identity off its user; a user whom it was the only way in is disabled, never deleted.
    case unlink
}

/// The decision what an event leads to. The order is such that nobody slips in between two steps.
package enum NoticeDecision {
    package static func steps(for event: ProviderEvent) -> [NoticeStep] {
        switch event {
        case .mailForwarding(let isOn, let time): [.setMailForwarding(isOn: isOn, at: time)]
        case .consentRevoked: [.requireNewIDToken(ending: .ofProvider), .forgetTokens]
        case .accountDeleted: [.blockForGood(ending: .ofProvider), .forgetTokens, .unlink]
        case .sessionsRevoked: [.requireNewIDToken(ending: .ofProvider)]
        case .tokensRevoked: [.requireNewIDToken(ending: .ofProvider), .forgetTokens]
        case .accountDisabled(.hijacking): [.block(ending: .all)]
        case .accountDisabled(.bulkAccount), .accountDisabled(.unspecified): [.block(ending: .none)]
        case .accountEnabled: [.unblock]
        case .tokenRevoked, .credentialChangeRequired, .verification, .unknown: []
        }
    }
}
