import Networking

/// When an answer leaves that must not tell by its time what there was to do: at whole periods after the question.
package struct AnswerPace: Sendable {
    /// Longer than what there is to do at most takes, as a rule; zero for no pace.
    package let period: Duration

    package init(_ period: Duration) {
        self.period = period
    }

    /// How long an answer waits that is ready after `elapsed`.
    package func rest(after elapsed: Duration) -> Duration {
        let (period, elapsed) = (period.wholeNanoseconds, elapsed.wholeNanoseconds)
        guard period > 0 else { return .zero }
        let begun = elapsed % period
        return .nanoseconds(Int64(elapsed > 0 && begun == 0 ? 0 : period - begun))
    }
}
