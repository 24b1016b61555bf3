package import Text

/// What a rule takes from its surroundings: the time and chance. A parameter everywhere, so that every rule can be tested at any
/// hour.
package struct SystemContext: Sendable {
    /// The wall clock.
    package let now: @Sendable () -> Timestamp
    /// So many random bytes from a secure source.
    package let random: @Sendable (Int) -> [UInt8]
    /// Whose time counts inside the scripts of Redis; only tests at another hour have a reason to choose.
    package let scriptClock: ScriptClock
    /// The same for the statements of PostgreSQL.
    package let statementClock: StatementClock

    package init(
        now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable (Int) -> [UInt8],
        scriptClock: ScriptClock = .redis, statementClock: StatementClock = .postgres
    ) {
        self.now = now
        self.random = random
        self.scriptClock = scriptClock
        self.statementClock = statementClock
    }

    /// By what time a statement goes that is sent now.
    package var statementTime: StatementTime {
        switch statementClock {
        case .postgres: .postgres
        case .callers: .given(now())
        }
    }

    /// A new UUIDv7.
    func uuid() -> UUID {
        uuid(at: now())
    }

    func uuid(at time: Timestamp) -> UUID {
        UUID(version7At: time, random: random(10))
    }
}

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
