/// What Redis answered (RESP2).
package enum RedisReply: Equatable, Sendable {
    case null
    case status(String)
    case integer(Int64)
    case bytes([UInt8])
    case array([RedisReply])
    /// An error inside an array, or one that is the command's own; the first word is its kind.
    case error(String)

    /// The text of a bulk string, with broken UTF-8 repaired; nil for anything else.
    package var text: String? {
        guard case .bytes(let bytes) = self else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    package var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .bytes: text.flatMap { Int64($0) }
        case .null, .status, .array, .error: nil
        }
    }

    package var elements: [RedisReply]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The first word of what Redis says is wrong.
    static func kind(ofError text: String) -> String {
        String(text.prefix { $0 != " " })
    }
}
