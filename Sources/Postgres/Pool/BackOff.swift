/// How long to rest before another attempt: the pause doubles with each failure, and half of it is random, so that the loops
/// and copies that lost a server together do not come back together.
struct BackOff {
    private let bounds: ClosedRange<Duration>
    /// Failures since the last success.
    private(set) var failures = 0

    init(_ bounds: ClosedRange<Duration>) {
        self.bounds = bounds
    }

    mutating func succeeded() {
        failures = 0
    }

    /// Counts a failure and returns the pause after it.
    /// - Parameter chance: 0 … 1, drawn anew each time.
    mutating func failed(chance: Double) -> Duration {
        let doublings = min(failures, 30)
        failures += 1
        let pause = min(bounds.lowerBound * (1 << doublings), bounds.upperBound)
        return pause / 2 + pause * 0.5 * chance
    }
}
