import Networking

/// When the steps of one request were over. Apart from `decided` these are times of the loop's turns, which cost nothing to take.
struct RequestTimeline: Sendable {
    /// Its first byte was there.
    let began: Instant
    let headRead: Instant
    let bodyRead: Instant
    /// The endpoint had its answer.
    let decided: Instant
    /// The answer was with the system or, up to `Stream.highWaterMark`, in line for it.
    let answered: Instant

    /// From the first byte to the end, in nanoseconds.
    var duration: UInt64 { max(decided, answered).nanoseconds(since: began) }
}
