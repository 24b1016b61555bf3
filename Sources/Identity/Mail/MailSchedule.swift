/// When a mail that could not be handed over is tried again: until it is of no use any more.
package enum MailSchedule {
    package static let firstPause: Duration = .seconds(30)

    /// The pause after so many attempts. It doubles each time; half of it is chance, so that what failed together does not come back
    /// together.
    /// - Parameters:
    ///   - longest: never more than this.
    ///   - chance: any byte, drawn anew each time.
    package static func pause(
        afterAttempts attempts: Int, first: Duration = firstPause, longest: Duration, chance: UInt8
    ) -> Duration {
        var pause = min(first, longest)
        var doublings = attempts - 1
        while doublings > 0, pause < longest {
            pause *= 2
            doublings -= 1
        }
        pause = min(pause, longest)
        return pause / 2 + pause / 2 * Int(chance) / 255
    }
}
