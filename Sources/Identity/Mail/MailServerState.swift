import Text

/// Whether the mail server takes mail from us, as a pure value: what is to be logged, and when to ask it again.
struct MailServerState: Sendable {
    static let backOff = JobBackOff(first: .seconds(5), longest: .seconds(60))

    private enum State {
        /// Nothing has been sent yet.
        case unknown
        case up
        case down(MailFailure.Trouble, rounds: Int, Rest)
    }

    private var state = State.unknown

    /// Nil as long as nobody knows.
    var isUp: Bool? {
        switch state {
        case .unknown: nil
        case .up: true
        case .down: false
        }
    }

    /// Whether it is to be left alone for now.
    func rests(at now: Timestamp) -> Bool {
        if case .down(_, _, let rest) = state { rest.holds(at: now) } else { false }
    }

    /// It has answered. Returns whether that is news: it did not before.
    mutating func answered() -> Bool {
        defer { state = .up }
        if case .down = state { return true } else { return false }
    }

    /// A round has met nothing but trouble. Returns whether that is news: it is trouble of another kind than before.
    mutating func failed(_ trouble: MailFailure.Trouble, at now: Timestamp, chance: UInt8) -> Bool {
        var (rounds, former): (Int, MailFailure.Trouble?) = (1, nil)
        if case .down(let trouble, let count, _) = state { (rounds, former) = (count + 1, trouble) }
        let pause = Self.backOff.pause(afterAttempts: rounds, chance: chance)
        state = .down(trouble, rounds: rounds, Rest(since: now, length: pause))
        return former?.name != trouble.name
    }
}
