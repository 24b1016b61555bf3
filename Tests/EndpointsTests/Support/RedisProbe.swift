import TestSupport

/// Talks to a Redis of a test's own in its inline protocol.
struct RedisProbe {
    let port: UInt16

    /// Everything that is answered to the commands, as it comes.
    func answers(to commands: [String]) throws -> String {
        let socket = try TestSocket(connectingTo: port)
        try socket.send(commands.map { $0 + "\r\n" }.joined() + "QUIT\r\n")
        return String(decoding: try socket.receiveAll(), as: UTF8.self)
    }

    /// The names of all keys.
    func keys() throws -> [String] {
        try answers(to: ["KEYS *"]).split(separator: "\r\n").map(String.init).filter { !"*$+".contains($0.first ?? "+") }
    }

    /// All keys with all that they hold.
    func contents() throws -> String {
        let keys = try keys()
        let commands = keys.flatMap { ["GET \($0)", "HGETALL \($0)", "ZRANGE \($0) 0 -1 WITHSCORES"] }
        return keys.joined(separator: "\n") + (try answers(to: commands))
    }
}

/// Everything that a Redis of a test's own is told.
final class RedisMonitor {
    private let socket: TestSocket
    private let probe: RedisProbe

    init(_ probe: RedisProbe) throws {
        self.probe = probe
        socket = try TestSocket(connectingTo: probe.port)
        try socket.send("MONITOR\r\n")
        _ = try socket.receive()
    }

    /// The commands since the last time, one a line, but for the questions that connections ask by themselves.
    func commands() throws -> [String] {
        let mark = "mark-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        _ = try probe.answers(to: ["ECHO \(mark)"])
        var text = ""
        while !text.contains(mark) { text += String(decoding: try socket.receive(), as: UTF8.self) }
        let others = [mark, "\"QUIT\"", "\"limit:none\"", "\"XREAD\"", "\"XRANGE\""]
        return text.split(separator: "\r\n").map(String.init).filter { line in !others.contains { line.contains($0) } }
    }
}
