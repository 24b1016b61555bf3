/// When a revocation that failed is tried again, and when it is given up: after twelve attempts, which span more than a day.
package enum RevocationSchedule {
    package static let maximumAttempts = 12
    private static let firstPause: Duration = .seconds(10)
    private static let longestPause: Duration = .seconds(6 * 60 * 60)

    /// The pause after so many failed attempts, or nil when the last of them is made. It triples each time up to six hours; half of it
    /// is chance, so that what failed together does not come back together.
    /// - Parameter chance: any byte, drawn anew each time.
    package static func pause(afterAttempts attempts: Int, chance: UInt8) -> Duration? {
        guard attempts < maximumAttempts else { return nil }
        var pause = firstPause
        for _ in 1..<max(1, attempts) where pause < longestPause { pause *= 3 }
        pause = min(pause, longestPause)
        return pause / 2 + pause / 2 * Int(chance) / 255
    }
}
