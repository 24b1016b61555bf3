/// What the rules of one loop have decided, counted. Confined to its loop: no lock, no atomic.
package final class IdentityMetrics: @unchecked Sendable {  // counted and read on its own loop only
    /// The answers to introspection.
    package enum IntrospectionResult: String, Sendable, CaseIterable {
        case active, inactive, unavailable
    }

    /// What became of refreshes.
    package enum Refresh: String, Sendable, CaseIterable {
        case rotate, replay, recover, keep, reuse, refused, unavailable
    }

    /// What became of sign-ins by password.
    package enum SignIn: String, Sendable, CaseIterable {
        case succeeded, refused, unavailable
    }

    /// What became of id tokens.
    package enum IDToken: String, Sendable, CaseIterable {
        case verified, refused, unavailable
    }

    /// A provider and what became of its id tokens.
    package struct ProviderOutcome: Hashable, Sendable {
        package let provider: ProviderID
        package let outcome: IDToken

        package init(provider: ProviderID, outcome: IDToken) {
            self.provider = provider
            self.outcome = outcome
        }
    }

    /// What became of sign-ins with a provider's proof that holds.
    package enum ProviderSignIn: String, Sendable, CaseIterable {
        case known, created, linked, reclaimed, refused, unavailable
    }

    /// What became of identities that users wanted to link or unlink.
    package enum IdentityChange: String, Sendable, CaseIterable {
        case linked, unlinked, refused
    }

    /// Why a client was not taken for what it says to be.
    package enum ClientRefusal: String, Sendable, CaseIterable {
        /// It said nothing of itself that could be understood. Counted only.
        case noCredentials = "no_credentials"
        case unknownClient = "unknown_client"
        /// Or none, where one is needed.
        case wrongSecret = "wrong_secret"
    }

    /// A copy of all counters.
    package struct Snapshot: Sendable {
        package var introspections: [IntrospectionResult: UInt64] = [:]
        package var refreshes: [Refresh: UInt64] = [:]
        package var signIns: [SignIn: UInt64] = [:]
        package var idTokens: [ProviderOutcome: UInt64] = [:]
        package var providerSignIns: [ProviderSignIn: UInt64] = [:]
        package var identityChanges: [IdentityChange: UInt64] = [:]
        package var signUps: UInt64 = 0
        package var auditEventsDropped: UInt64 = 0
        /// Addresses that failed at many accounts.
        package var sprays: UInt64 = 0
        /// Whether the partitions of the audit events could not be kept when this copy last tried. Only the loop that tries has it.
        package var auditUpkeepFails = false
        /// Attempts that were refused because a budget was used up.
        package var limited: [LimitBucket: UInt64] = [:]
        /// Requests of clients that had not proved themselves.
        package var clientRefusals: [ClientRefusal: UInt64] = [:]
        package var providerTokens = ProviderTokenCounters()
        package var jobs = JobCounters()
        /// Questions about access tokens that were answered from memory, and what that holds.
        package var hotTokenHits: UInt64 = 0
        package var hotTokenBytes = 0
        /// Whether the mail server takes mail from us; nil when there is none, or nothing was to be sent yet.
        package var isMailServerUp: Bool?

        /// The sum of two loops' counters.
        package mutating func add(_ other: Snapshot) {
            introspections.merge(other.introspections, uniquingKeysWith: +)
            refreshes.merge(other.refreshes, uniquingKeysWith: +)
            signIns.merge(other.signIns, uniquingKeysWith: +)
            idTokens.merge(other.idTokens, uniquingKeysWith: +)
            providerSignIns.merge(other.providerSignIns, uniquingKeysWith: +)
            identityChanges.merge(other.identityChanges, uniquingKeysWith: +)
            signUps += other.signUps
            auditEventsDropped += other.auditEventsDropped
            sprays += other.sprays
            auditUpkeepFails = auditUpkeepFails || other.auditUpkeepFails
            limited.merge(other.limited, uniquingKeysWith: +)
            clientRefusals.merge(other.clientRefusals, uniquingKeysWith: +)
            providerTokens.add(other.providerTokens)
            jobs.add(other.jobs)
            hotTokenHits += other.hotTokenHits
            hotTokenBytes += other.hotTokenBytes
            isMailServerUp = isMailServerUp ?? other.isMailServerUp
        }

        package init() {}
    }

    private var introspections = [UInt64](repeating: 0, count: 3)
    private var rest = Snapshot()

    package init() {}

    package var snapshot: Snapshot {
        var snapshot = rest
        for (index, result) in IntrospectionResult.allCases.enumerated() {
            snapshot.introspections[result] = introspections[index]
        }
        return snapshot
    }

    /// The busiest counter: an array instead of a dictionary.
    func count(_ result: IntrospectionResult) {
        switch result {
        case .active: introspections[0] += 1
        case .inactive: introspections[1] += 1
        case .unavailable: introspections[2] += 1
        }
    }

    func countHotToken() {
        rest.hotTokenHits += 1
    }

    var hotTokenBytes: Int {
        get { rest.hotTokenBytes }
        set { rest.hotTokenBytes = newValue }
    }

    func count(_ result: Refresh) {
        rest.refreshes[result, default: 0] += 1
    }

    func count(_ result: SignIn) {
        rest.signIns[result, default: 0] += 1
    }

    /// The provider is a configured one: a name that somebody sent must not make a counter.
    func countIDToken(_ outcome: IDToken, of provider: ProviderID) {
        rest.idTokens[ProviderOutcome(provider: provider, outcome: outcome), default: 0] += 1
    }

    func count(_ result: ProviderSignIn) {
        rest.providerSignIns[result, default: 0] += 1
    }

    func count(_ change: IdentityChange) {
        rest.identityChanges[change, default: 0] += 1
    }

    func countProviderTokens(_ change: (inout ProviderTokenCounters) -> Void) {
        change(&rest.providerTokens)
    }

    func countJobs(_ change: (inout JobCounters) -> Void) {
        change(&rest.jobs)
    }

    var isMailServerUp: Bool? {
        get { rest.isMailServerUp }
        set { rest.isMailServerUp = newValue }
    }

    func count(limited bucket: LimitBucket) {
        rest.limited[bucket, default: 0] += 1
    }

    func count(_ refusal: ClientRefusal) {
        rest.clientRefusals[refusal, default: 0] += 1
    }

    func countSignUp() {
        rest.signUps += 1
    }

    func countSpray() {
        rest.sprays += 1
    }

    func noteAuditUpkeep(failing: Bool) {
        rest.auditUpkeepFails = failing
    }

    func countDroppedAuditEvents(_ count: Int) {
        rest.auditEventsDropped += UInt64(count)
    }
}

/// What became of providers' tokens, counted on one loop.
package struct ProviderTokenCounters: Sendable {
    /// What became of authorization codes.
    package enum Exchange: String, Sendable, CaseIterable {
        case succeeded, failed
    }

    package internal(set) var exchanges: [Exchange: UInt64] = [:]

    /// The sum of two loops' counters.
    mutating func add(_ other: ProviderTokenCounters) {
        exchanges.merge(other.exchanges, uniquingKeysWith: +)
    }

    mutating func count(_ result: Exchange) {
        exchanges[result, default: 0] += 1
    }
}
