/// How the caller stands with the limits, to be told along with the answer.
package struct LimitStanding: Equatable, Sendable {
    /// Of the budget that is told of: the caller's own with the fewest left, or the one that has refused.
    package let limit: Int
    /// How many more would be allowed now.
    package let remaining: Int
    /// Until all of the budget is free again, or until one more would be allowed if none is now.
    package let reset: Duration
    /// After which one more is free.
    private let interval: Duration

    package init(limit: Int, remaining: Int, reset: Duration, interval: Duration) {
        self.limit = limit
        self.remaining = remaining
        self.reset = reset
        self.interval = interval
    }

    /// After one attempt has been given back.
    var refunded: LimitStanding {
        LimitStanding(
            limit: limit, remaining: min(limit, remaining + 1), reset: max(.zero, reset - interval), interval: interval)
    }
}
