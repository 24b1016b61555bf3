import TestSupport
import Text

/// Listens to what ends, as a backend does: on a thread of its own, from the connection's start to its end.
final class FeedListener: Sendable {
    struct Event: Sendable {
        let id: String?
        let name: String
        let data: JSONValue
    }

    private struct State {
        var text = ""
        var isOver = false
    }

    private let socket: Locked<TestSocket?>
    private let state = Locked(State())

    /// - Parameters:
    ///   - cursor: what was heard last.
    ///   - reads: whether it takes what it is told.
    init(_ port: UInt16, _ credentials: Credentials, from cursor: String? = nil, reads: Bool = true) throws {
        let socket = try TestSocket(connectingTo: port)
        self.socket = Locked(socket)
        let resumption = cursor.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        try socket.send(
            "GET /oauth2/revocations HTTP/1.1\r\nHost: localhost\r\nAuthorization: \(credentials.basic)\r\n\(resumption)\r\n")
        guard reads else { return }
        startThread { [state] in
            while let bytes = try? socket.receive(), !bytes.isEmpty {
                let text = String(decoding: bytes, as: UTF8.self)
                state.withLock { $0.text += text }
            }
            state.withLock { $0.isOver = true }
        }
    }

    /// One that hears: the feed of a copy begins when the copy has found its stream.
    static func hearing(
        _ port: UInt16, _ credentials: Credentials, from cursor: String? = nil
    ) async throws -> FeedListener {
        let client = TestHTTPClient(port: port)
        try await eventually {
            try await client.send("HEAD", "/oauth2/revocations", [("Authorization", credentials.basic)]).status == 200
        }
        let listener = try FeedListener(port, credentials, from: cursor)
        try await listener.waitUntilReady()
        return listener
    }

    /// Everything that has come, with the head.
    var text: String { state.value.text }

    var isOver: Bool { state.value.isOver }

    /// Without those that nobody has to know of.
    var events: [Event] {
        guard let start = text.firstRange(of: "\r\n\r\n")?.upperBound else { return [] }
        return text[start...].split(separator: "\n\n", omittingEmptySubsequences: true).compactMap { block in
            // One that has not come as a whole is not taken.
            guard text.hasSuffix("\n\n") || !text.hasSuffix(block) else { return nil }
            var fields: [Substring: String] = [:]
            for line in block.split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 { fields[parts[0]] = String(parts[1].drop { $0 == " " }) }
            }
            guard let name = fields["event"] else { return nil }
            return Event(id: fields["id"], name: name, data: (try? JSON.parse(fields["data"] ?? "")) ?? .null)
        }
    }

    /// What was heard last.
    var cursor: String? { events.last { $0.id != nil }?.id }

    func waitUntilReady() async throws {
        try await eventually { !events.isEmpty }
    }

    /// Ends the connection from this side.
    func hangUp() {
        socket.withLock { socket in
            socket?.endSending()
            socket = nil
        }
    }
}
