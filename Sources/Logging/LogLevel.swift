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
