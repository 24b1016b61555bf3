import Redis

/// An end as it is told, once for all who listen on a loop.
struct RevocationEvent: Sendable {
    let id: RedisStreamID
    /// Whose tokens have ended.
    let audiences: [String]
    /// As `text/event-stream` has it.
    let text: [UInt8]

    /// Nil for what is no end of this installation.
    init?(_ entry: RedisStreamEntry, in installation: Installation) {
        typealias Field = RevocationLog.Field
        guard entry[Field.mark] == installation.mark, let audiences = entry[Field.audiences], let name = entry[Field.name],
            let data = entry[Field.data]
        else { return nil }
        id = entry.id
        self.audiences = String(decoding: audiences, as: UTF8.self).split(separator: "\n").map(String.init)
        text = Self.text(String(decoding: name, as: UTF8.self), id: id, data)
    }

    func isVisible(to visible: VisibleAudiences?) -> Bool {
        visible.map { visible in audiences.contains { visible.contains($0) } } ?? true
    }

    /// The first that a listener hears: from here on it hears everything.
    static func ready(_ id: RedisStreamID) -> [UInt8] {
        Array("retry: 1000\n".utf8) + text("ready", id: id, Array("{}".utf8))
    }

    /// To a listener that has come back: what it had missed is told.
    static func current(_ id: RedisStreamID) -> [UInt8] {
        text("current", id: id, Array("{}".utf8))
    }

    /// There were ends that nobody can tell any more.
    static func reset(_ id: RedisStreamID) -> [UInt8] {
        Array("retry: 1000\n".utf8) + text("reset", id: id, Array("{}".utf8))
    }

    static let heartbeat = Array(":\n\n".utf8)

    private static func text(_ name: String, id: RedisStreamID, _ data: [UInt8]) -> [UInt8] {
        Array("id: \(id)\nevent: \(name)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }
}
