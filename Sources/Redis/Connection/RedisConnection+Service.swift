import Logging
import Networking

extension RedisConnection {
    /// How often it is said that the server cannot serve, and how long nothing must have been refused until it is said that it can.
    private static let refusalPause: Duration = .seconds(10)

    /// Says that it cannot serve, once in a while: a full server refuses every write.
    func noteRefusal(_ kind: String) {
        let now = loop.now
        defer { refusedAt = now }
        if let refusedAt, now.since(refusedAt) < Self.refusalPause { return }
        logger.error(
            "Redis cannot serve",
            [
                "server": .string("\(configuration)"), "kind": .string(kind),
                "remedy": .string(Self.remedy(kind)),
            ])
    }

    /// Says that it serves again, when nothing has been refused for a while.
    func noteService() {
        guard let last = refusedAt, loop.now.since(last) >= Self.refusalPause else { return }
        refusedAt = nil
        logger.info("Redis serves again", ["server": .string("\(configuration)")])
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
