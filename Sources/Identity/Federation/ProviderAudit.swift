/// What happened between a provider and us, without a user who asked for it: the audit events of providers' tokens and notices.
package enum ProviderAudit: Equatable, Sendable {
    /// An authorization code has become a provider's token, which is stored.
    case codeExchanged
    case codeExchangeFailed(CodeExchangeFailure.Reason)
    /// A token of an identity that is gone was revoked at its provider.
    case tokenRevoked
    /// It was not, and will not be tried again.
    case revocationGivenUp
    /// A provider has told us of an event, and we have done what it asks for.
    case noticeTaken(ProviderEvent)
    case noticeRefused(NoticeRefusal)

    /// As it is stored.
    var name: String {
        switch self {
        case .codeExchanged: "code_exchanged"
        case .codeExchangeFailed: "code_exchange_failed"
        case .tokenRevoked: "provider_token_revoked"
        case .revocationGivenUp: "provider_revocation_given_up"
        case .noticeTaken: "provider_notice"
        case .noticeRefused: "provider_notice_refused"
        }
    }

    var reason: String? {
        switch self {
        case .codeExchangeFailed(let reason): reason.rawValue
        case .noticeTaken(let event): event.name
        case .noticeRefused(let refusal): refusal.reason
        case .codeExchanged, .tokenRevoked, .revocationGivenUp: nil
        }
    }

    var outcome: AuditKind.Outcome {
        switch self {
        case .codeExchanged, .tokenRevoked, .noticeTaken: .succeeded
        case .codeExchangeFailed, .revocationGivenUp, .noticeRefused: .refused
        }
    }
}
