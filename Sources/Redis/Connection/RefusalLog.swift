import Logging
import Networking

/// Says in the log that the server cannot serve, and that it serves again.
struct RefusalLog {
    /// How often it is said that the server cannot serve, and how long nothing must have been refused until it is said that it can.
    private static let pause: Duration = .seconds(10)

    private let server: String
    private let logger: Logger
    /// When the server last said that it cannot serve; nil when it serves.
    private var last: Instant?

    init(server: String, logger: Logger) {
        self.server = server
        self.logger = logger
    }

    /// Whether it has been said that the server cannot serve, and not yet that it can.
    var isOpen: Bool { last != nil }

    /// Says so once in a while: a full server refuses every write.
    mutating func refused(_ kind: String, at now: Instant) {
        defer { last = now }
        if let last, now.since(last) < Self.pause { return }
        logger.error(
            "Redis cannot serve", ["server": .string(server), "kind": .string(kind), "remedy": .string(Self.remedy(kind))])
    }

    /// Says that it serves again, when nothing has been refused for a while.
    mutating func served(at now: Instant) {
        guard let last, now.since(last) >= Self.pause else { return }
        self.last = nil
        logger.info("Redis serves again", ["server": .string(server)])
    }

    private static func remedy(_ kind: String) -> String {
        switch kind {
        case "OOM": "its memory is full: raise maxmemory"
        case "MISCONF": "it cannot write to its disk: make room, and look at its log"
        case "LOADING": "it reads its file: wait"
        case "NOREPLICAS": "it lacks the replicas that min-replicas-to-write asks for"
        default: "see its log"
        }
    }
}
