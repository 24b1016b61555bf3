import Networking

/// When a provider's key set is fetched, how long it is used, and what can be said of a key that is not in it. A pure value: time and
/// chance are parameters.
struct KeySetSchedule: Sendable {
    enum Reason: Equatable, Sendable {
        /// It is time.
        case due
        /// Somebody has named a key that is not in the set.
        case unknownKey(String)
    }

    /// What to do about a key that is not in the set.
    enum Verdict: Equatable, Sendable {
        case fetch
        /// A fetch is under way.
        case wait
        /// It was not in a set that was fetched because of it.
        case unknown(until: Instant)
        /// Nobody can say, and there will be no news before then.
        case unavailable(until: Instant)
    }

    private struct Keys {
        /// Since the keys were fetched, at some instant.
        let age: (Duration, at: Instant)
        let usableUntil: Instant
    }

    private let policy: KeySetPolicy
    private var keys: Keys?
    /// The next fetch that needs no other reason.
    private(set) var dueAt: Instant
    private(set) var isFetching = false
    /// Since the last success.
    private(set) var failures = 0
    /// Why the fetch that is under way is made.
    private var reason: Reason?
    /// When the fetches because of unknown keys so far would have been over, had they been made one each interval (GCRA).
    private var refetchArrival: Instant?
    /// The keys that fetches were made for and did not bring, and until when that is taken for granted. The oldest go first.
    private(set) var absentKeys: [(keyID: String, until: Instant)] = []

    init(_ policy: KeySetPolicy, at now: Instant) {
        self.policy = policy
        dueAt = now
    }

    /// When the keys were fetched here; nil as long as there are none.
    private(set) var fetchedAt: Instant?

    /// Since the keys were fetched, here or elsewhere; nil as long as there are none.
    func age(at now: Instant) -> Duration? {
        keys.map { $0.age.0 + now.since($0.age.at) }
    }

    /// Until when the keys may be used, fresh or not.
    var usableUntil: Instant? { keys?.usableUntil }

    func isUsable(at now: Instant) -> Bool {
        usableUntil.map { now < $0 } ?? false
    }

    func isDue(at now: Instant) -> Bool {
        !isFetching && dueAt <= now
    }

    mutating func begin(_ reason: Reason, at now: Instant) {
        isFetching = true
        self.reason = reason
        switch reason {
        case .due: break
        case .unknownKey: refetchArrival = max(refetchArrival ?? now, now) + policy.refetchInterval
        }
    }

    /// New keys have come.
    /// - Parameters:
    ///   - has: whether a key of that name is among them.
    ///   - freshness: how long their server says they are good; nil if it does not.
    ///   - chance: 0 … 1; spreads what copies that started together do next, between 80 and 90 % of the lifetime.
    mutating func succeeded(
        freshness: Duration?, at now: Instant, chance: Double, has: (String) -> Bool = { _ in false }
    ) {
        let lifetime = min(max(freshness ?? policy.usualLifetime, policy.lifetimes.lowerBound), policy.lifetimes.upperBound)
        keys = Keys(age: (.zero, at: now), usableUntil: now + lifetime + policy.staleLifetime)
        fetchedAt = now
        dueAt = now + lifetime * 0.8 + lifetime * 0.1 * chance
        isFetching = false
        failures = 0
        absentKeys.removeAll { $0.until <= now || has($0.keyID) }
        if case .unknownKey(let keyID)? = reason, !has(keyID) {
            absentKeys.removeAll { $0.keyID == keyID }
            absentKeys = absentKeys.suffix(policy.absentKeyLimit - 1) + [(keyID, now + policy.refetchInterval)]
        }
        reason = nil
    }

    /// Takes keys for those of a fetch some time ago, while there are none. The next fetch stays due.
    /// - Parameters:
    ///   - age: since they were fetched.
    ///   - lifetime: how long their server said that they are good, from then on.
    mutating func remember(fetched age: Duration, ago lifetime: Duration, at now: Instant) {
        guard !isUsable(at: now), age >= .zero else { return }
        let bound = min(max(lifetime, policy.lifetimes.lowerBound), policy.lifetimes.upperBound)
        let rest = min(bound + policy.staleLifetime, policy.rememberedLifetime) - age
        guard rest > .zero else { return }
        keys = Keys(age: (age, at: now), usableUntil: now + rest)
    }

    /// No keys have come, or none that can be used. Those that are there stay.
    /// - Parameter chance: 0 … 1; half of the pause is random, so that copies do not come back together.
    mutating func failed(at now: Instant, chance: Double) {
        let bounds = isUsable(at: now) ? policy.pauses : policy.urgentPauses
        failures += 1
        let next = now + BackOff.pause(bounds, after: failures, chance: chance)
        dueAt = dueAt > now ? min(dueAt, next) : next
        isFetching = false
        reason = nil
    }

    /// What to do about a key that is not among the usable ones. One that a fetch was made for is not there; about any other nobody can say without a
    /// fetch, of which there are so many at once, and then one each interval.
    func verdict(on keyID: String, at now: Instant) -> Verdict {
        if isUsable(at: now), failures == 0, let absent = absentKeys.first(where: { $0.keyID == keyID }), now < absent.until {
            return .unknown(until: absent.until)
        }
        return verdictOnOthers(at: now)
    }

    /// The same for a key that nothing is remembered of.
    func verdictOnOthers(at now: Instant) -> Verdict {
        if isFetching { return .wait }
        // A server in trouble is asked no more often because somebody names a key.
        if failures > 0, now < dueAt { return .unavailable(until: dueAt) }
        let credit = policy.refetchInterval * (max(policy.refetchBurst, 1) - 1)
        let debt = refetchArrival?.since(now) ?? .zero
        guard debt > credit else { return .fetch }
        let mayRefetchAt = now + (debt - credit)
        return .unavailable(until: max(now, min(mayRefetchAt, dueAt)))
    }
}

/// How long key sets of other providers are good, and how often they are asked for.
package struct KeySetPolicy: Sendable {
    /// A set is fetched anew no sooner and no later than this after the last time, whatever its server says.
    package var lifetimes: ClosedRange<Duration> = .seconds(15 * 60) ... .seconds(24 * 3600)
    /// When its server says nothing.
    package var usualLifetime: Duration = .seconds(3600)
    /// How long keys are used beyond their lifetime while no newer ones can be had.
    package var staleLifetime: Duration = .seconds(24 * 3600)
    /// How often a key that is not in the set may be a reason to fetch it, in the long run.
    package var refetchInterval: Duration = .seconds(60)
    /// How often at once, so that a made-up key does not stand in the way of one that is new.
    package var refetchBurst = 5
    /// Keys that are remembered not to be in the set, for as long as the interval.
    package var absentKeyLimit = 64
    /// How long after they came keys are used that another copy, or a process before this one, has fetched; never longer than a copy of our own would be.
    package var rememberedLifetime: Duration = .seconds(24 * 3600)
    /// How long who asks for a key waits for a fetch.
    package var patience: Duration = .seconds(6)
    /// Pauses after a failure while there are no keys to use.
    package var urgentPauses: ClosedRange<Duration> = .seconds(1) ... .seconds(60)
    /// Pauses after a failure while there are.
    package var pauses: ClosedRange<Duration> = .seconds(15) ... .seconds(5 * 60)

    package init() {}
}
