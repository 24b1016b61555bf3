import JOSE
import Networking

/// What every loop knows of a provider's keys, to answer without asking anybody. The parsed keys are shared, not copied.
struct KeySetShelf: Sendable {
    let keys: JWKSet
    /// Later shelves have higher numbers.
    let version: UInt64
    /// Nil as long as there have never been keys.
    let usableUntil: Instant?
    /// What is to be said of every other key; `fetch` and `wait` are for the keeper.
    let verdict: KeySetSchedule.Verdict

    /// Nil when the keeper has to be asked.
    func answer(_ keyID: String, at now: Instant) -> KeySetLookup? {
        if let key = key(keyID, at: now) { return .key(key) }
        switch verdict {
        case .unknown(let end): return now < end ? .unknownKey : nil
        case .unavailable(let end): return now < end ? .unavailable(retryAfter: max(end.since(now), .seconds(1))) : nil
        case .fetch, .wait: return nil
        }
    }

    func key(_ keyID: String, at now: Instant) -> JWK? {
        guard let usableUntil, now < usableUntil else { return nil }
        return keys.key(withID: keyID)
    }
}
