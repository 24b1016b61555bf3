/// The position in a document and the rules of nesting. The text itself is passed down as a span, which no struct may hold.
struct JSONParser {
    private var position = 0
    private var depth = 0
    private let maximumDepth: Int
    private var remainingValues: Int

    /// The document itself does not count as one of `maximumValues`.
    init(maximumDepth: Int, maximumValues: Int) {
        self.maximumDepth = maximumDepth
        remainingValues = maximumValues
    }

    mutating func document(_ text: Span<UInt8>) throws(JSONParseError) -> JSONValue {
        if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF { throw error(.byteOrderMark) }
        skipWhitespace(text)
        let value = try value(text)
        skipWhitespace(text)
        guard position == text.count else { throw error(.trailingBytes) }
        return value
    }

    private mutating func value(_ text: Span<UInt8>) throws(JSONParseError) -> JSONValue {
        guard position < text.count else { throw error(.unexpectedEnd) }
        switch text[position] {
        case UInt8(ascii: "{"): return try object(text)
        case UInt8(ascii: "["): return try array(text)
        case UInt8(ascii: "\""): return .string(try string(text))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(text)
        case UInt8(ascii: "t"): return try literal("true", is: .bool(true), text)
        case UInt8(ascii: "f"): return try literal("false", is: .bool(false), text)
        case UInt8(ascii: "n"): return try literal("null", is: .null, text)
        default: throw error(.syntax)
        }
    }

    private mutating func array(_ text: Span<UInt8>) throws(JSONParseError) -> JSONValue {
        try descend()
        var elements: [JSONValue] = []
        skipWhitespace(text)
        if !accept(UInt8(ascii: "]"), text) {
            repeat {
                skipWhitespace(text)
                try countValue()
                elements.append(try value(text))
                skipWhitespace(text)
            } while accept(UInt8(ascii: ","), text)
            try expect(UInt8(ascii: "]"), text)
        }
        depth -= 1
        return .array(elements)
    }

    private mutating func object(_ text: Span<UInt8>) throws(JSONParseError) -> JSONValue {
        try descend()
        var members: [JSONObject.Member] = []
        var names = JSONMemberNames()
        skipWhitespace(text)
        if !accept(UInt8(ascii: "}"), text) {
            repeat {
                skipWhitespace(text)
                try countValue()
                members.append(try member(text, after: members, names: &names))
                skipWhitespace(text)
            } while accept(UInt8(ascii: ","), text)
            try expect(UInt8(ascii: "}"), text)
        }
        depth -= 1
        return .object(JSONObject(members))
    }

    private mutating func member(
        _ text: Span<UInt8>, after earlier: [JSONObject.Member], names: inout JSONMemberNames
    ) throws(JSONParseError) -> JSONObject.Member {
        let start = position
        guard start < text.count else { throw error(.unexpectedEnd) }
        guard text[start] == UInt8(ascii: "\"") else { throw error(.syntax) }
        let key = try string(text)
        guard names.insert(key, after: earlier) else { throw JSONParseError(kind: .duplicateMember, offset: start) }
        skipWhitespace(text)
        try expect(UInt8(ascii: ":"), text)
        skipWhitespace(text)
        return JSONObject.Member(key: key, value: try value(text))
    }

    private mutating func string(_ text: Span<UInt8>) throws(JSONParseError) -> String {
        var scanner = JSONStringScanner(openingQuote: position)
        let string = try scanner.scan(text)
        position = scanner.position
        return string
    }

    private mutating func number(_ text: Span<UInt8>) throws(JSONParseError) -> JSONValue {
        var scanner = JSONNumberScanner(start: position)
        let number = try scanner.scan(text)
        position = scanner.position
        return number
    }

    private mutating func literal(
        _ word: String, is value: JSONValue, _ text: Span<UInt8>
    ) throws(JSONParseError) -> JSONValue {
        for byte in word.utf8 {
            guard position < text.count else { throw error(.unexpectedEnd) }
            guard text[position] == byte else { throw error(.syntax) }
            position += 1
        }
        return value
    }

    /// Steps over the opening bracket.
    private mutating func descend() throws(JSONParseError) {
        guard depth < maximumDepth else { throw error(.depth) }
        depth += 1
        position += 1
    }

    private mutating func countValue() throws(JSONParseError) {
        guard remainingValues > 0 else { throw error(.tooManyValues) }
        remainingValues -= 1
    }

    private mutating func accept(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ byte: UInt8, _ text: Span<UInt8>) throws(JSONParseError) {
        guard position < text.count else { throw error(.unexpectedEnd) }
        guard accept(byte, text) else { throw error(.syntax) }
    }

    private mutating func skipWhitespace(_ text: Span<UInt8>) {
        while position < text.count {
            switch text[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private func error(_ kind: JSONParseError.Kind) -> JSONParseError {
        JSONParseError(kind: kind, offset: position)
    }
}

/// Finds duplicate member names: by comparison while there are few, by a set from then on, so that a million stay cheap.
struct JSONMemberNames {
    private var known: Set<Name> = []

    private static let comparisonLimit = 12

    /// False if the name is among those of `earlier`, which are all that were inserted before.
    mutating func insert(_ name: String, after earlier: [JSONObject.Member]) -> Bool {
        if earlier.count < Self.comparisonLimit {
            return !earlier.contains { $0.key.hasSameBytes(as: name) }
        }
        if known.isEmpty {
            known = Set(earlier.map { Name(text: $0.key) })
        }
        return known.insert(Name(text: name)).inserted
    }

    /// Hashed and compared by bytes; normalising text for Swift's own `String` equality is wrong here, and slow on hostile text.
    private struct Name: Hashable {
        let text: String

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }

        static func == (left: Name, right: Name) -> Bool {
            left.text.hasSameBytes(as: right.text)
        }
    }
}
