/// What is recorded of authorizations.
extension AuditKind {
    package static let consentGranted = AuditKind("consent_granted")
    package static let consentWithdrawn = AuditKind("consent_withdrawn")
    /// A client got tokens for a user.
    /// - Parameter grant: by which grant type.
    package static func grantIssued(_ grant: GrantType) -> AuditKind {
        AuditKind("grant_issued", reason: grant.shortName)
    }

    /// A used authorization code came back: a copy of it is about, and what it has led to was ended.
    package static let codeReplayed = AuditKind("code_replayed", outcome: .refused)
    package static let deviceApproved = AuditKind("device_approved")
    package static let deviceDenied = AuditKind("device_denied", outcome: .refused)
}
