import Text

/// A span in which something is left alone, by the clock of this copy alone. A clock that is set back ends it early, so that no wrong clock
/// can make it longer.
struct Rest: Equatable, Sendable {
    let since: Timestamp
    let length: Duration

    func holds(at now: Timestamp) -> Bool {
        let passed = now.duration(since: since)
        return passed >= .zero && passed < length
    }
}
