/// Reads one number (RFC 8259 §6).
struct JSONNumberScanner {
    private let start: Int
    /// First the sign or first digit, after `scan` the byte behind the last.
    private(set) var position: Int
    private var isInteger = true

    private static let maximumLength = 64

    init(start: Int) {
        self.start = start
        position = start
    }

    mutating func scan(_ text: Span<UInt8>) throws(JSONParseError) -> JSONValue {
        if text[position] == UInt8(ascii: "-") { position += 1 }
        let hasLeadingZero = position < text.count && text[position] == UInt8(ascii: "0")
        if hasLeadingZero {
            position += 1
            if position < text.count, isDigit(text[position]) { throw error(.syntax) }
        } else {
            try digits(text)
        }
        if position < text.count, text[position] == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            try digits(text)
        }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if position < text.count, text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-") { position += 1 }
            try digits(text)
        }
        return try value(text)
    }

    private func value(_ text: Span<UInt8>) throws(JSONParseError) -> JSONValue {
        guard position - start <= Self.maximumLength else { throw JSONParseError(kind: .numberOutOfRange, offset: start) }
        if isInteger, let integer = integer(text) { return .integer(integer) }
        let digits = String(decoding: (start..<position).map { text[$0] }, as: UTF8.self)
        guard let double = Double(digits), double.isFinite else { throw JSONParseError(kind: .numberOutOfRange, offset: start) }
        return .double(double)
    }

    private func integer(_ text: Span<UInt8>) -> Int64? {
        let isNegative = text[start] == UInt8(ascii: "-")
        var value: Int64 = 0
        for index in (isNegative ? start + 1 : start)..<position {
            // Counting downwards reaches the lowest number, which has no positive twin.
            let (product, productOverflow) = value.multipliedReportingOverflow(by: 10)
            let (difference, overflow) = product.subtractingReportingOverflow(Int64(text[index] - UInt8(ascii: "0")))
            guard !productOverflow, !overflow else { return nil }
            value = difference
        }
        guard !isNegative else { return value }
        return value == .min ? nil : -value
    }

    /// One digit or more.
    private mutating func digits(_ text: Span<UInt8>) throws(JSONParseError) {
        guard position < text.count else { throw error(.unexpectedEnd) }
        guard isDigit(text[position]) else { throw error(.syntax) }
        while position < text.count, isDigit(text[position]) { position += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private func error(_ kind: JSONParseError.Kind) -> JSONParseError {
        JSONParseError(kind: kind, offset: position)
    }
}
