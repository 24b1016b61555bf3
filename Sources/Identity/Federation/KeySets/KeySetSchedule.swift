import Networking

/// When a provider's key set is fetched, how long it is used, and what can be said of a key that is not in it. A pure value: time and
/// chance are parameters.
struct KeySetSchedule: Sendable {
    enum Reason: Sendable {
        /// It is time.
        case due
        /// Somebody has named a key that is not in the set.
        case unknownKey
    }

    /// What to do about a key that is not in the set.
    enum Verdict: Equatable, Sendable {
        case fetch
        /// A fetch is under way.
        case wait
        /// No provider's key, as far as anybody knows until then.
        case unknown(until: Instant)
        /// Nobody can say, and there will be no news before then.
        case unavailable(until: Instant)
    }

    private struct Keys {
        let fetchedAt: Instant
        let expiresAt: Instant
    }

    private let policy: KeySetPolicy
    private var keys: Keys?
    /// The next fetch that needs no other reason.
    private(set) var dueAt: Instant
    private(set) var isFetching = false
    /// Since the last success.
    private(set) var failures = 0
    /// The last fetch because of an unknown key.
    private var refetchedAt: Instant?

    init(_ policy: KeySetPolicy, at now: Instant) {
        self.policy = policy
        dueAt = now
    }

    /// When the keys were fetched; nil as long as there are none.
    var fetchedAt: Instant? { keys?.fetchedAt }

    /// Until when the keys may be used, fresh or not.
    var usableUntil: Instant? { keys.map { $0.expiresAt + policy.staleLifetime } }

    func isUsable(at now: Instant) -> Bool {
        usableUntil.map { now < $0 } ?? false
    }

    func isDue(at now: Instant) -> Bool {
        !isFetching && dueAt <= now
    }

    mutating func begin(_ reason: Reason, at now: Instant) {
        isFetching = true
        switch reason {
        case .due: break
        case .unknownKey: refetchedAt = now
        }
    }

    /// New keys have come.
    /// - Parameters:
    ///   - freshness: how long their server says they are good; nil if it does not.
    ///   - chance: 0 … 1; spreads what copies that started together do next, between 80 and 90 % of the lifetime.
    mutating func succeeded(freshness: Duration?, at now: Instant, chance: Double) {
        let lifetime = min(max(freshness ?? policy.usualLifetime, policy.lifetimes.lowerBound), policy.lifetimes.upperBound)
        keys = Keys(fetchedAt: now, expiresAt: now + lifetime)
        dueAt = now + lifetime * 0.8 + lifetime * 0.1 * chance
        isFetching = false
        failures = 0
    }

    /// No keys have come, or none that can be used. Those that are there stay.
    /// - Parameter chance: 0 … 1; half of the pause is random, so that copies do not come back together.
    mutating func failed(at now: Instant, chance: Double) {
        let bounds = isUsable(at: now) ? policy.pauses : policy.urgentPauses
        failures += 1
        let next = now + BackOff.pause(bounds, after: failures, chance: chance)
        dueAt = dueAt > now ? min(dueAt, next) : next
        isFetching = false
    }

    /// What to do about a key that is not among the usable ones: a fetch if none has been made for such a reason within the interval.
    func verdict(at now: Instant) -> Verdict {
        if isFetching { return .wait }
        let mayRefetchAt = refetchedAt.map { $0 + policy.refetchInterval } ?? now
        if mayRefetchAt <= now { return .fetch }
        if failures == 0, isUsable(at: now) { return .unknown(until: mayRefetchAt) }
        return .unavailable(until: max(now, min(mayRefetchAt, dueAt)))
    }
}
