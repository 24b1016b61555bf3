/// Counts clients that have not proved themselves, and puts them on record: the first of each client in a minute, and the first in a minute of
/// those that there are not, so that a flood of wrong secrets does not become one of audit events. On one loop.
///
/// Nothing is limited here: nobody guesses 256 bits, and to refuse costs less than to answer.
package final class ClientRefusals: Sendable {
    private static let pause = Duration.seconds(60)
    private static let unknownKey = ""

    private let clients: ClientRegistry
    private let audit: AuditLog
    private let metrics: IdentityMetrics
    private let system: SystemContext
    private let notices = LimitNotices(pause: ClientRefusals.pause)

    package init(clients: ClientRegistry, audit: AuditLog, metrics: IdentityMetrics, system: SystemContext) {
        self.clients = clients
        self.audit = audit
        self.metrics = metrics
        self.system = system
    }

    /// - Parameter id: what the caller says to be, if anything.
    package func note(_ id: String?, _ caller: Caller) async {
        guard let id else { return metrics.count(IdentityMetrics.ClientRefusal.noCredentials) }
        let isKnown = await clients.knows(id)
        let refusal = isKnown ? IdentityMetrics.ClientRefusal.wrongSecret : .unknownClient
        metrics.count(refusal)
        let now = system.now()
        guard notices.admits(isKnown ? id : Self.unknownKey, at: now) else { return }
        // An id that is none is the caller's own text.
        await audit.record(
            AuditEvent(
                id: system.uuid(), time: now, kind: .clientAuthenticationFailed(refusal), actor: .anonymous,
                clientID: isKnown ? ClientID(id) : nil, address: caller.address, referenceID: caller.referenceID))
    }
}

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
