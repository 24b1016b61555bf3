import Synchronization

/// How much a log line matters, from least to most.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
    case trace, debug, info, warning, error

    /// The place in `allCases`.
    var rank: Int {
        switch self {
        case .trace: 0
        case .debug: 1
        case .info: 2
        case .warning: 3
        case .error: 4
        }
    }

    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rank < right.rank
    }
}

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
