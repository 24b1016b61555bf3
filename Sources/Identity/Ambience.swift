package import Text

/// What a rule takes from its surroundings: the time and chance. A parameter everywhere, so that every rule can be tested at any
/// hour.
package struct Ambience: Sendable {
    /// The wall clock.
    package let now: @Sendable () -> Timestamp
    /// So many random bytes from a secure source.
    package let random: @Sendable (Int) -> [UInt8]

    package init(now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable (Int) -> [UInt8]) {
        self.now = now
        self.random = random
    }

    /// A new UUIDv7.
    func uuid() -> UUID {
        UUID(version7At: now(), random: random(10))
    }
}
