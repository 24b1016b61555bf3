package import Text

/// The life of a job as a pure value: when it may be claimed, what a lease means, when it is over. `JobQueries` does the same in SQL, and a
/// property test holds the two against each other.
///
/// A claim gives a turn. As long as nobody else has a later turn, its holder decides what becomes of the job. When a lease has run out,
/// another copy may have the next turn while the first is still at work: then only the later turn may put the job off, give it back or give
/// it up. To finish it needs no turn, because what is done is done, whoever did it.
package struct JobLife: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        case waiting
        case claimed(until: Timestamp)
        case finished(at: Timestamp)
        case givenUp(at: Timestamp)
    }

    package private(set) var state = State.waiting
    package private(set) var dueAt: Timestamp
    /// From when on it is of no use to carry it out; nil for never.
    package let givesUpAt: Timestamp?
    /// Attempts that were made, or are being made.
    package private(set) var attempts = 0
    /// Claims that were made. It never falls, so that no two claims have the same number.
    package private(set) var turn: Int64 = 0

    package init(dueAt: Timestamp, givesUpAt: Timestamp?) {
        self.dueAt = dueAt
        self.givesUpAt = givesUpAt
    }

    package var isOver: Bool {
        switch state {
        case .waiting, .claimed: false
        case .finished, .givenUp: true
        }
    }

    /// Claims the job if it is due and nobody has it.
    /// - Returns: the turn, or nil.
    package mutating func claim(at now: Timestamp, for lease: Duration) -> Int64? {
        guard dueAt <= now, !isExpired(at: now) else { return nil }
        switch state {
        case .waiting: break
        case .claimed(let end): guard end <= now else { return nil }
        case .finished, .givenUp: return nil
        }
        state = .claimed(until: now.adding(lease))
        attempts += 1
        turn += 1
        return turn
    }

    /// The work is done. This holds also when the lease is over, when the job was given up meanwhile, and when another copy has it.
    package mutating func finish(at now: Timestamp) {
        if case .finished = state { return }
        state = .finished(at: now)
    }

    /// The attempt has failed, and another one is due after the pause.
    package mutating func postpone(_ turn: Int64, at now: Timestamp, by pause: Duration) {
        guard mayDecide(turn) else { return }
        state = .waiting
        dueAt = now.adding(pause)
    }

    /// There was no attempt: the job is anybody's, now.
    package mutating func giveBack(_ turn: Int64, at now: Timestamp) {
        guard mayDecide(turn) else { return }
        state = .waiting
        dueAt = now
        attempts -= 1
    }

    package mutating func giveUp(_ turn: Int64, at now: Timestamp) {
        guard mayDecide(turn) else { return }
        state = .givenUp(at: now)
    }

    /// Gives it up if its time is over, whoever has it.
    package mutating func expire(at now: Timestamp) {
        if !isOver, isExpired(at: now) { state = .givenUp(at: now) }
    }

    private func mayDecide(_ turn: Int64) -> Bool {
        if case .claimed = state { turn == self.turn } else { false }
    }

    private func isExpired(at now: Timestamp) -> Bool {
        givesUpAt.map { $0 <= now } ?? false
    }
}
