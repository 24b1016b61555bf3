/// What happened between a provider and us, without a user who asked for it: the audit events of providers' tokens.
package enum ProviderAudit: Equatable, Sendable {
    /// An authorization code has become a provider's token, which is stored.
    case codeExchanged
    case codeExchangeFailed(CodeExchangeFailure.Reason)
    /// A token of an identity that is gone was revoked at its provider.
    case tokenRevoked
    /// It was not, and will not be tried again.
    case revocationGivenUp
}

/// What is recorded of providers' proofs and tokens.
extension AuditKind {
    /// A proof of who somebody is elsewhere that proved nothing, and why.
    package static func providerTokenRefused(_ refusal: IDTokenRefusal) -> AuditKind {
        AuditKind("provider_token_refused", reason: refusal.reason, outcome: .refused)
    }

    package static func provider(_ event: ProviderAudit) -> AuditKind {
        switch event {
        case .codeExchanged: AuditKind("code_exchanged")
        case .codeExchangeFailed(let reason): AuditKind("code_exchange_failed", reason: reason.rawValue, outcome: .refused)
        case .tokenRevoked: AuditKind("provider_token_revoked")
        case .revocationGivenUp: AuditKind("provider_revocation_given_up", outcome: .refused)
        }
    }
}
