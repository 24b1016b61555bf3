import Glibc
import Networking

/// SIGHUP, by which an operator asks the server to read its configuration anew. From the moment this is made the signal does not end
/// the process.
final class Hangups: Sendable {
    /// Signals that arrive while one is acted upon are one.
    let requests: AsyncStream<Void>
    private let source: SignalSource

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        requests = stream
        source = SignalSource(SIGHUP) { continuation.yield() }
    }
}
