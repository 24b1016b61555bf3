/// How long to rest before another attempt: the pause doubles with each failure, and half of it is random, so that the loops
/// and copies that lost a server together do not come back together.
package struct BackOff: Sendable {
    private let bounds: ClosedRange<Duration>
    /// Failures since the last success.
    package private(set) var failures = 0

    /// - Parameter bounds: of the pause before chance has cut it.
    package init(_ bounds: ClosedRange<Duration>) {
        self.bounds = bounds
    }

    package mutating func succeeded() {
        failures = 0
    }

    /// Counts a failure and returns the pause after it.
    /// - Parameter chance: 0 … 1, drawn anew each time.
    package mutating func failed(chance: Double) -> Duration {
        failures += 1
        return Self.pause(bounds, after: failures, chance: chance)
    }

    /// The pause after so many failures in a row, from one on.
    package static func pause(_ bounds: ClosedRange<Duration>, after failures: Int, chance: Double) -> Duration {
        let pause = min(bounds.lowerBound * (1 << min(failures - 1, 30)), bounds.upperBound)
        return pause / 2 + pause * 0.5 * chance
    }
}
