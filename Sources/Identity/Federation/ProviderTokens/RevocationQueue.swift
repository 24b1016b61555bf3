package import Logging
package import Networking
import Postgres
import Text

/// Revokes at the providers what is left of identities that are gone, out of a queue in PostgreSQL: behind everybody's back, and until
/// it has worked or twelve attempts have failed. Every copy runs one, and they share the work.
package actor RevocationQueue {
    private static let period: Duration = .seconds(5)
    /// Rows that are taken at once, one after the other.
    static let batch = 8
    /// Longer than a batch can take: no call may last longer than a minute.
    static let lease: Duration = .seconds(10 * 60)
    /// How long what was given up stays for an operator to take up again, and how long a notice is remembered.
    private static let retention: Duration = .seconds(30 * 86_400)
    private static let noticeRetention: Duration = .seconds(365 * 86_400)
    private static let sweepPeriod: Duration = .seconds(3600)

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let store: ProviderTokenStore
    private let notices: NoticeStore
    private let revoker: TokenRevoker
    private let audit: AuditLog
    private let metrics: IdentityMetrics
    private let system: SystemContext
    private let logger: Logger
    private var isRunning = true
    private var swept: Rest?

    package init(
        store: ProviderTokenStore, notices: NoticeStore, revoker: TokenRevoker, audit: AuditLog, metrics: IdentityMetrics,
        system: SystemContext, loop: EventLoop, logger: Logger
    ) {
        self.store = store
        self.notices = notices
        self.revoker = revoker
        self.audit = audit
        self.metrics = metrics
        self.system = system
        self.loop = loop
        self.logger = logger
    }

    /// Looks every five seconds, until `close()`.
    package func run() async {
        while isRunning {
            await loop.sleep(for: Self.period)
            await work()
        }
    }

    /// Takes nothing more. What has been taken and not been finished is taken by another copy once the lease is over.
    package func close() {
        isRunning = false
    }

    /// Goes through everything that is due.
    package func work() async {
        do throws(PostgresError) {
            while isRunning {
                let claims = try await store.claim(
                    Self.batch, of: revoker.providers, at: system.statementTime, for: Self.lease)
                for claim in claims { try await attempt(claim) }
                if claims.count < Self.batch { break }
            }
            let counts = try await store.counts()
            metrics.countProviderTokens { counters in
                counters.waiting = counts.waiting
                counters.givenUp = counts.givenUp
            }
            try await sweep()
        } catch {
            // What was taken comes back with the end of its lease.
            logger.warning("the queue of revocations cannot be read", ["error": "\(error)"])
        }
    }

    private func attempt(_ claim: ProviderTokenStore.Claim) async throws(PostgresError) {
        guard let token = store.token(of: claim) else {
            return try await giveUp(claim, because: "the token does not open with this master key")
        }
        do throws(ProviderCallFailure) {
            try await revoker.revoke(token, of: claim.grant)
        } catch {
            return try await failed(claim, error)
        }
        metrics.countProviderTokens { $0.count(.revoked) }
        try await store.finish(claim)
        await note(.tokenRevoked, claim)
    }

    private func failed(_ claim: ProviderTokenStore.Claim, _ failure: ProviderCallFailure) async throws(PostgresError) {
        let chance = system.random(1).first ?? 0
        guard let pause = RevocationSchedule.pause(afterAttempts: claim.attempts, chance: chance) else {
            return try await giveUp(claim, because: failure.description)
        }
        metrics.countProviderTokens { $0.count(.postponed) }
        logger.warning(
            "a token could not be revoked yet",
            [
                "provider": .string(claim.grant.provider.text), "attempts": .integer(claim.attempts),
                "failure": .string(failure.description),
            ])
        try await store.postpone(claim, at: system.statementTime, by: pause, because: failure.description)
    }

    private func giveUp(_ claim: ProviderTokenStore.Claim, because failure: String) async throws(PostgresError) {
        metrics.countProviderTokens { $0.count(.givenUp) }
        logger.error(
            "a token could not be revoked, and will not be tried again",
            ["provider": .string(claim.grant.provider.text), "id": .string(claim.id), "failure": .string(failure)])
        try await store.giveUp(claim, at: system.statementTime, because: failure)
        await note(.revocationGivenUp, claim)
    }

    private func sweep() async throws(PostgresError) {
        let now = system.now()
        if swept?.holds(at: now) == true { return }
        try await store.deleteGivenUp(at: system.statementTime, after: Self.retention)
        try await notices.forget(at: system.statementTime, after: Self.noticeRetention)
        swept = Rest(since: now, length: Self.sweepPeriod)
    }

    private func note(_ event: ProviderAudit, _ claim: ProviderTokenStore.Claim) async {
        var detail = JSONObject()
        detail["provider"] = .string(claim.grant.provider.text)
        detail["provider_client_id"] = .string(claim.grant.clientID)
        detail["attempts"] = .integer(Int64(claim.attempts))
        await audit.record(
            AuditEvent(id: system.uuid(), time: system.now(), kind: .provider(event), actor: .system, detail: detail))
    }
}
