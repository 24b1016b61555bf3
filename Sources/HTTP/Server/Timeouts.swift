import Networking

/// The times of `Limits` in nanoseconds, worked out once: a `Duration` is 128 bits wide, and these are needed with every request.
struct Timeouts: Sendable {
    let head: UInt64
    let body: UInt64
    let idle: UInt64
    let write: UInt64
    let linger: UInt64
    /// How long a connection keeps its task between requests. A client that is busy asks again before that, and its next request is
    /// spared the making of one.
    let hot: UInt64

    init(_ limits: Limits) {
        head = limits.headTimeout.wholeNanoseconds
        body = limits.bodyTimeout.wholeNanoseconds
        idle = limits.idleTimeout.wholeNanoseconds
        write = limits.writeTimeout.wholeNanoseconds
        linger = limits.lingerTimeout.wholeNanoseconds
        hot = min(1_000_000_000, idle)
    }
}
