package import JOSE
import Networking

/// What every loop knows of a provider's keys, to answer without asking anybody. The parsed keys are shared, not copied.
struct CachedKeySet: Sendable {
    let keys: JWKSet
    /// Later cachedSets have higher numbers.
    let version: UInt64
    private let schedule: KeySetSchedule

    init(keys: JWKSet, version: UInt64, _ schedule: KeySetSchedule) {
        self.keys = keys
        self.version = version
        self.schedule = schedule
    }

    /// Nil when the keeper has to be asked: it knows of fetches that have begun since.
    func answer(_ keyID: String, at now: Instant) -> KeySetLookup? {
        if let key = key(keyID, at: now) { return .key(key) }
        switch schedule.verdict(on: keyID, at: now) {
        case .unknown: return .unknownKey
        case .unavailable(let end): return now < end ? .unavailable(retryAfter: max(end.since(now), .seconds(1))) : nil
        case .fetch, .wait: return nil
        }
    }

    func key(_ keyID: String, at now: Instant) -> JWK? {
        guard schedule.isUsable(at: now) else { return nil }
        return keys.key(withID: keyID)
    }
}

/// What is known of a key that a token names.
package enum KeySetLookup: Sendable {
    case key(JWK)
    /// The provider's keys are known, and this is none of them.
    case unknownKey
    /// The provider's keys cannot be had now: nobody can say whether the key is good.
    case unavailable(retryAfter: Duration)
}

/// The counters of one provider's key set at a moment.
package struct KeySetReport: Sendable {
    package let provider: ProviderID
    package var fetches: [KeySetFetchOutcome: UInt64] = [:]
    /// Keys that can be used now.
    package var keyCount = 0
    /// Since the keys were fetched; nil as long as there are none.
    package var age: Duration?

    package init(provider: ProviderID) {
        self.provider = provider
    }
}
