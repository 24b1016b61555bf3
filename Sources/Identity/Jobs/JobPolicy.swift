/// How jobs of a kind are carried out, in numbers.
package struct JobPolicy: Equatable, Sendable {
    /// Jobs that one copy carries out at once.
    package var parallelism = 2
    /// How long a job belongs to the copy that has claimed it. It has to be longer than an attempt may take.
    package var lease: Duration
    package var backOff: JobBackOff
    /// After so many attempts a job is given up; nil where only its time ends it.
    package var maximumAttempts: Int?
    /// How long the row of a finished job stays; zero: it is deleted with the finish.
    package var keepsFinished: Duration = .zero
    /// How long the row of a job that was given up stays.
    package var keepsGivenUp: Duration = .seconds(30 * 86_400)
    /// Whether a job that was given up keeps what is sealed in it, so that an operator can have it tried again.
    package var keepsSecretGivenUp = false
    /// Whether an attempt that is made twice does harm. After PostgreSQL was away all copies then leave time to those that have finished a
    /// job and could not say so.
    package var avoidsRepetition = false

    package init(lease: Duration, backOff: JobBackOff) {
        self.lease = lease
        self.backOff = backOff
    }
}

/// The pause after a failed attempt: it grows by a factor up to a bound, and half of it is chance, so that jobs that failed together do not
/// come back together.
package struct JobBackOff: Equatable, Sendable {
    package var first: Duration
    package var factor: Int
    package var longest: Duration

    package init(first: Duration, factor: Int = 2, longest: Duration) {
        self.first = first
        self.factor = factor
        self.longest = longest
    }

    /// - Parameters:
    ///   - attempts: that were made, this one included.
    ///   - chance: any byte, drawn anew each time.
    package func pause(afterAttempts attempts: Int, chance: UInt8) -> Duration {
        var pause = min(first, longest)
        var steps = attempts - 1
        while steps > 0, pause < longest {
            pause *= factor
            steps -= 1
        }
        pause = min(pause, longest)
        return pause / 2 + pause / 2 * Int(chance) / 255
    }
}
