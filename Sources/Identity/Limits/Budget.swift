/// How often something may be done: so many times at once, and again as many in each period, spread evenly over it.
package struct Budget: Hashable, Sendable {
    /// At least one.
    package let count: Int
    /// Whole milliseconds.
    package let period: Duration

    package init(_ count: Int, per period: Duration) {
        precondition(Self.isPossible(count, per: period), "a budget is of at most one in a millisecond")
        self.count = count
        self.period = period
    }

    /// Whether it allows less in the long run.
    package func isSlower(than other: Budget) -> Bool {
        Double(count) / Double(period.wholeMilliseconds) < Double(other.count) / Double(other.period.wholeMilliseconds)
    }

    /// Whether it is at least one, and no more than one in a millisecond.
    package static func isPossible(_ count: Int, per period: Duration) -> Bool {
        count > 0 && period.wholeMilliseconds >= count
    }
}
