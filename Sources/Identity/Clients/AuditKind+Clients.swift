/// What is recorded of clients.
extension AuditKind {
    package static let clientAdded = AuditKind("client_added")
    package static let clientUpdated = AuditKind("client_updated")
    package static let clientDisabled = AuditKind("client_disabled")
    package static let clientEnabled = AuditKind("client_enabled")
    package static let clientRemoved = AuditKind("client_removed")
    package static let clientSecretReplaced = AuditKind("client_secret_replaced")
    /// The secret before the present one, before its time.
    package static let clientSecretEnded = AuditKind("client_secret_ended")

    /// Recorded once in a while for each client, however many requests were refused.
    package static func clientAuthenticationFailed(_ refusal: IdentityMetrics.ClientRefusal) -> AuditKind {
        AuditKind("client_authentication_failed", reason: refusal.rawValue, outcome: .refused)
    }
}
