import Networking

/// What one connection and one request may cost. Every limit is inclusive: the value itself is still accepted.
package struct Limits: Sendable {
    /// Bytes of the request line without its line end, at most 16 MiB; more is 414.
    package var requestLine = 8 * 1024
    /// Bytes of all field lines with their line ends, without the empty line after them, at most 16 MiB; more is 431.
    package var headerSection = 16 * 1024
    /// Field lines of a request, at most 10 000; more is 431.
    package var fieldCount = 100
    /// Bytes of a decoded body; more is 413. What all connections hold together has a bound of its own (`ClientLedger`).
    package var body = 64 * 1024
    /// Bytes of a head and its body together, while bodies are bounded by as much: a connection holds no more for its client.
    package static let wholeRequest = 64 * 1024
    /// Bytes of chunk extensions after one chunk size; more is 400.
    package var chunkExtension = 1024
    /// Bytes of chunk extensions in a whole body, so that tiny chunks cannot carry endless ballast; more is 400.
    package var chunkExtensionTotal = 16 * 1024
    /// Bytes of all trailer lines with their line ends; more is 400.
    package var trailerSection = 4 * 1024
    /// Trailer lines; more is 400.
    package var trailerCount = 16

    /// From the first byte of a request head to its last; then 408.
    package var headTimeout = Duration.seconds(10)
    /// From the end of the head to the end of the body; then 408.
    package var bodyTimeout = Duration.seconds(30)
    /// Between requests on a kept connection; then it is closed without a word.
    package var idleTimeout = Duration.seconds(60)
    /// For the client to read what does not fit the buffers of its connection; then the connection is dropped.
    package var writeTimeout = Duration.seconds(30)

    /// After the last response on a connection, for the client to read it and end its side.
    package var lingerTimeout = Duration.seconds(5)

    package init() {}

    /// The same for the body of a request whose head has so many bytes.
    func afterHead(_ size: Int) -> Limits {
        guard body <= Self.wholeRequest, body > Self.wholeRequest - size else { return self }
        var limits = self
        limits.body = Self.wholeRequest - size
        return limits
    }
}

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
