import Text

/// The generic cell rate algorithm (ITU-T I.371 annex A, as a virtual schedule): one instant is all that is remembered of a bucket,
/// its *arrival*, at which nothing of the budget would be in use any more.
///
/// All times are whole microseconds: finer than any budget, and exact in the doubles that Redis computes with until the year 2255.
/// `LimitScript` is the same rule in Lua.
package struct GCRA: Equatable, Sendable {
    /// What becomes of an attempt. All times in microseconds.
    package enum Decision: Equatable, Sendable {
        /// - Parameters:
        ///   - arrival: what is to be remembered.
        ///   - left: how many more would be allowed now.
        ///   - reset: until nothing is in use.
        case allowed(arrival: Int64, left: Int64, reset: Int64)
        /// Nothing changes; after `wait` one would be allowed.
        case refused(wait: Int64)
    }

    package let count: Int64
    /// After which one unit is free again; cut to a whole number, so that the budget is never below what it says.
    package let interval: Int64

    package init(_ budget: Budget) {
        count = Int64(budget.count)
        interval = budget.period.wholeMilliseconds * 1000 / count
    }

    /// How long it takes until a budget that is used up is free again: the longest life of what is remembered.
    package var window: Int64 { interval * count }

    /// - Parameter arrival: what is remembered; nil for nothing.
    package func decision(arrival: Int64?, at now: Int64) -> Decision {
        let next = bounded(arrival, at: now) + interval
        let over = next - now - window
        if over > 0 { return .refused(wait: over) }
        return .allowed(arrival: next, left: -over / interval, reset: next - now)
    }

    /// What is remembered once a unit has been given back; nil for nothing. What time has given back of it already is not given again:
    /// it would be another's.
    /// - Parameter taken: the arrival that the unit has made.
    package func arrival(refunding taken: Int64, from arrival: Int64?, at now: Int64) -> Int64? {
        let earlier = bounded(arrival, at: now) - min(interval, max(0, taken - now))
        return earlier > now ? earlier : nil
    }

    /// What is remembered says no more than that all is used up: the clock may have been set back, or the budget was larger before.
    private func bounded(_ arrival: Int64?, at now: Int64) -> Int64 {
        min(max(arrival ?? now, now), now + window)
    }
}

extension Timestamp {
    var microseconds: Int64 { milliseconds * 1000 }
}
