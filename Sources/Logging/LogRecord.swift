import Text

/// One log line before it has a form.
struct LogRecord {
    let time: Timestamp
    let level: LogLevel
    let message: String
    let fields: LogFields

    /// Longer texts are cut, so that no request can fill the log with one line.
    static let maximumTextLength = 4096

    /// The line without its line feed. Nothing in a text can end the line, move the cursor or turn the direction of writing.
    func rendered(as format: LogFormat) -> [UInt8] {
        switch format {
        case .json: json
        case .text(let colour): text(colour: colour)
        }
    }

    private var json: [UInt8] {
        var writer = JSONWriter(escaping: .readable)
        writer.beginObject()
        writer.member("time", time)
        writer.member("level", level.rawValue)
        writer.member("message", Self.cut(message))
        for field in fields.fields {
            writer.key(isOwn(field.name) ? "_" + field.name : field.name)
            switch field.value {
            case .string(let value): writer.string(Self.cut(value))
            case .integer(let value): writer.integer(value)
            case .double(let value): writer.double(value)
            case .bool(let value): writer.bool(value)
            case .duration(let value): writer.double(value.inMilliseconds)
            case .time(let value): writer.string(value.iso8601)
            }
        }
        writer.endObject()
        return writer.bytes
    }

    private func isOwn(_ name: String) -> Bool {
        name == "time" || name == "level" || name == "message"
    }

    private func text(colour: Bool) -> [UInt8] {
        var line: [UInt8] = []
        line.append(contentsOf: "\(time.iso8601) ".utf8)
        if colour { line.append(contentsOf: level.colour.utf8) }
        line.append(contentsOf: level.label.utf8)
        if colour { line.append(contentsOf: "\u{1B}[0m".utf8) }
        line.append(UInt8(ascii: " "))
        line.append(escaping: Self.cut(message), .readable)
        for field in fields.fields {
            line.append(UInt8(ascii: " "))
            line.append(escaping: field.name, .readable)
            line.append(UInt8(ascii: "="))
            line.append(readable: field.value)
        }
        return line
    }

    /// At most `maximumTextLength` bytes, cut between characters.
    static func cut(_ text: String) -> String {
        guard text.utf8.count > maximumTextLength else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: maximumTextLength)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return text[..<end] + "…"
    }
}

extension LogLevel {
    /// All of the same width, so that messages line up.
    fileprivate var label: String {
        switch self {
        case .trace: "TRACE"
        case .debug: "DEBUG"
        case .info: "INFO "
        case .warning: "WARN "
        case .error: "ERROR"
        }
    }

    fileprivate var colour: String {
        switch self {
        case .trace, .debug: "\u{1B}[2m"
        case .info: "\u{1B}[32m"
        case .warning: "\u{1B}[33m"
        case .error: "\u{1B}[31m"
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(readable value: LogValue) {
        switch value {
        case .string(let text): append(readable: LogRecord.cut(text))
        case .integer(let number): append(decimal: number)
        case .double(let number): append(contentsOf: number.description.utf8)
        case .bool(let flag): append(contentsOf: flag.description.utf8)
        case .duration(let duration): append(contentsOf: "\(duration.inMilliseconds)ms".utf8)
        case .time(let time): append(contentsOf: time.iso8601.utf8)
        }
    }

    /// Quoted unless it is a plain word.
    private mutating func append(readable text: String) {
        let isWord =
            !text.isEmpty
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
        if !isWord { append(UInt8(ascii: "\"")) }
        append(escaping: text, .readable)
        if !isWord { append(UInt8(ascii: "\"")) }
    }
}

/// What a log line looks like.
package enum LogFormat: Equatable, Sendable {
    /// One JSON object a line, for machines.
    case json
    /// `time LEVEL message name=value`, for people; with ANSI colours only when asked.
    case text(colour: Bool)
}
