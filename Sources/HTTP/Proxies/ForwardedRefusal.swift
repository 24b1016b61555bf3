package import Networking
import Synchronization

/// Why what was said about the address of a client was not believed.
package enum ForwardedRefusal: String, CaseIterable, Sendable {
    /// A forwarded field came from who is no trusted proxy: a client that lies, or a proxy that `KIDOBAN_TRUSTED_PROXIES` lacks.
    case untrustedPeer = "untrusted_peer"
    /// The field of a trusted proxy names no address where one is needed.
    case malformed
    /// A connection of a trusted proxy does not begin with a PROXY header. It is closed.
    case noProxyHeader = "no_proxy_header"

    /// For the log.
    var message: String {
        switch self {
        case .untrustedPeer: "a forwarded address came from a peer that is not trusted, and was ignored"
        case .malformed: "a trusted proxy forwarded no valid address, and the proxy's own was taken"
        case .noProxyHeader: "a connection of a trusted proxy did not begin with a PROXY header, and was closed"
        }
    }
}

/// Lets one log line a minute through for each reason, over all loops of a process: anybody can cause them.
package final class ForwardedWarnings: Sendable {
    private static let pause: UInt64 = 60_000_000_000

    // From when on the next line may be written, in nanoseconds of the monotonic clock.
    private let untrustedPeer = Atomic<UInt64>(0)
    private let malformed = Atomic<UInt64>(0)
    private let noProxyHeader = Atomic<UInt64>(0)

    package init() {}

    /// Whether to write a line now. Who hears yes has taken the minute's turn.
    package func mayWarn(of refusal: ForwardedRefusal, at now: Instant) -> Bool {
        switch refusal {
        case .untrustedPeer: Self.take(untrustedPeer, at: now)
        case .malformed: Self.take(malformed, at: now)
        case .noProxyHeader: Self.take(noProxyHeader, at: now)
        }
    }

    static func take(_ next: borrowing Atomic<UInt64>, at now: Instant) -> Bool {
        let due = next.load(ordering: .relaxed)
        guard due <= now.nanoseconds else { return false }
        let later = now.nanoseconds + pause
        return next.compareExchange(expected: due, desired: later, ordering: .relaxed).exchanged
    }
}
