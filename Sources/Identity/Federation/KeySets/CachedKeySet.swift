import JOSE
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
