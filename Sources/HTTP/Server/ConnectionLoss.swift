import Networking
import Synchronization

/// Why the server has closed a client's connection that might have gone on.
package enum ConnectionLoss: String, CaseIterable, Sendable {
    /// Its client has as many as one may have.
    case tooMany = "too_many"
    /// All connections together held too much memory, and its client the most.
    case memory
    /// Few places are left, and its client has most of them.
    case crowded
    /// Few places are left, and nobody has many: it was between requests for longest.
    case idle

    /// For the log.
    var message: String {
        switch self {
        case .tooMany: "a client has as many connections as one address may have, and another was closed"
        case .memory: "connections hold too much memory for slow clients, and some of the client that holds most were closed"
        case .crowded: "few places for connections are left, and some of the client that has most were closed"
        case .idle: "few places for connections are left, and those that were idle for longest were closed"
        }
    }
}

/// Lets one log line a minute through for each reason, over all loops of a process.
package final class ConnectionWarnings: Sendable {
    private let tooMany = Atomic<UInt64>(0)
    private let memory = Atomic<UInt64>(0)
    private let crowded = Atomic<UInt64>(0)
    private let idle = Atomic<UInt64>(0)

    package init() {}

    func mayWarn(of loss: ConnectionLoss, at now: Instant) -> Bool {
        switch loss {
        case .tooMany: ForwardedWarnings.take(tooMany, at: now)
        case .memory: ForwardedWarnings.take(memory, at: now)
        case .crowded: ForwardedWarnings.take(crowded, at: now)
        case .idle: ForwardedWarnings.take(idle, at: now)
        }
    }
}
