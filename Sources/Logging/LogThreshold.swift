import Synchronization

/// The level below which lines are not written, for a logger and all that are made of it. Every line looks at it, on every thread, while an
/// operator may change it.
final class LogThreshold: Sendable {
    private let rank: Atomic<Int>

    init(_ level: LogLevel) {
        rank = Atomic(level.rank)
    }

    var level: LogLevel {
        get { LogLevel.allCases[rank.load(ordering: .relaxed)] }
        set { rank.store(newValue.rank, ordering: .relaxed) }
    }

    func admits(_ level: LogLevel) -> Bool {
        level.rank >= rank.load(ordering: .relaxed)
    }
}
