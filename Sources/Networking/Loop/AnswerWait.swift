/// Whether a loop does well to wait for the answers of a server alone, learnt from how long they have taken.
///
/// A server on the same machine answers within microseconds, and waiting for it makes batches. One that is further away is
/// not waited for: the loop would stand still for nothing.
struct AnswerWait {
    /// How long answers are waited for alone, in nanoseconds. A client's request waits for no longer than this.
    static let window: UInt64 = 200_000
    /// One of so many questions is waited for to learn whether the server is near by now.
    private static let trialInterval = 128
    /// After so many misses in a row a server counts as far away. One nearby that is busy answers in time now and then.
    private static let patience = 8

    /// How often nothing came in time, one time after the other.
    private var misses = 0
    private var untried = 0

    init() {}

    /// Whether to wait for the answer to what has just been asked.
    /// - Parameter alone: whether nothing else was awaited when it was asked, so that the next answer is the one to it.
    mutating func isWorthwhile(alone: Bool) -> Bool {
        if misses < Self.patience { return true }
        guard alone else { return false }
        untried += 1
        guard untried >= Self.trialInterval else { return false }
        untried = 0
        return true
    }

    /// Notes how long the answer took to a question that was asked alone and waited for.
    mutating func answered(after nanoseconds: UInt64) {
        if nanoseconds <= Self.window { misses = 0 }
    }

    /// Notes that nothing came within the window.
    mutating func missed() {
        misses = min(misses + 1, Self.patience)
    }
}
