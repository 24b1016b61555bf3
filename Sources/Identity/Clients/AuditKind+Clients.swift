/// What is recorded of clients.
extension AuditKind {
    package static let clientAdded = AuditKind("client_added")
    package static let clientRemoved = AuditKind("client_removed")
    package static let clientSecretReplaced = AuditKind("client_secret_replaced")

    /// Recorded once in a while for each client, however many requests were refused.
    package static func clientAuthenticationFailed(_ refusal: IdentityMetrics.ClientRefusal) -> AuditKind {
        AuditKind("client_authentication_failed", reason: refusal.rawValue, outcome: .refused)
    }
}
