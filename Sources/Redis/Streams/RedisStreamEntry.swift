/// Names an entry of a stream: a time in milliseconds and a number. Later ones are greater.
package struct RedisStreamID: Comparable, Hashable, Sendable, CustomStringConvertible {
    private let milliseconds: UInt64
    private let number: UInt64

    /// Reads `1700000000000-0`, as Redis writes it and in no other spelling.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = UInt64(parts[0]), let number = UInt64(parts[1]),
            "\(milliseconds)-\(number)" == text
        else { return nil }
        (self.milliseconds, self.number) = (milliseconds, number)
    }

    package static func < (left: RedisStreamID, right: RedisStreamID) -> Bool {
        (left.milliseconds, left.number) < (right.milliseconds, right.number)
    }

    package var description: String { "\(milliseconds)-\(number)" }
}

/// An entry of a stream.
package struct RedisStreamEntry: Sendable {
    package let id: RedisStreamID
    private let fields: [[UInt8]]

    /// From an element of the answer to `XRANGE`; nil if it is none.
    package init?(_ reply: RedisReply) {
        guard let parts = reply.elements, parts.count == 2, let id = parts[0].text.flatMap({ RedisStreamID($0) }),
            let fields = parts[1].elements
        else { return nil }
        self.id = id
        self.fields = fields.map { if case .bytes(let bytes) = $0 { bytes } else { [] } }
    }

    /// The value of a field.
    package subscript(_ name: String) -> [UInt8]? {
        for index in stride(from: 0, to: fields.count - 1, by: 2) where fields[index].elementsEqual(name.utf8) {
            return fields[index + 1]
        }
        return nil
    }
}
