import Foundation

/// One event of a stream of server-sent events.
struct ServerSentEvent: Equatable {
    var name = "message"
    var data = ""
    /// The last `id` that the stream had, of this event or of one before.
    var id: String?
}

/// Reads server-sent events (WHATWG HTML §9.2.6) as the bytes come.
struct EventStreamParser {
    struct TooLong: Error {}

    static let longestLine = 65_536
    static let longestData = 1_048_576

    private var line: [UInt8] = []
    private var isAfterCR = false
    private var name = ""
    private var data: [String] = []
    private var dataSize = 0
    private var id: String?

    mutating func parse(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            let isSecondOfPair = isAfterCR && byte == UInt8(ascii: "\n")
            isAfterCR = byte == UInt8(ascii: "\r")
            if isSecondOfPair { continue }
            guard isAfterCR || byte == UInt8(ascii: "\n") else {
                guard line.count < Self.longestLine else { throw TooLong() }
                line.append(byte)
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            line.removeAll(keepingCapacity: true)
            if text.isEmpty {
                if let event = finish() { events.append(event) }
            } else {
                try take(text)
            }
        }
        return events
    }

    private mutating func take(_ text: String) throws(TooLong) {
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        let field = text[..<colon]
        var value = text[colon...].dropFirst()
        if value.first == " " { value = value.dropFirst() }
        switch field {
        case "event": name = String(value)
        case "data":
            dataSize += value.utf8.count
            guard dataSize <= Self.longestData else { throw TooLong() }
            data.append(String(value))
        case "id": if !value.contains("\0") { id = String(value) }
        default: break
        }
    }

    /// Nil when the block had no data: a heartbeat.
    private mutating func finish() -> ServerSentEvent? {
        defer {
            name = ""
            data = []
            dataSize = 0
        }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"), id: id)
    }
}
