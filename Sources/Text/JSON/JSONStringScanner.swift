/// Reads one string (RFC 8259 §7). Bytes without escapes are validated and copied once.
struct JSONStringScanner {
    /// First the opening quote, after `scan` the byte behind the closing one.
    private(set) var position: Int
    private var runStart: Int
    private var unescaped: [UInt8] = []

    init(openingQuote: Int) {
        position = openingQuote + 1
        runStart = position
    }

    mutating func scan(_ text: Span<UInt8>) throws(JSONParseError) -> String {
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""):
                return try finish(text)
            case UInt8(ascii: "\\"):
                try takeRun(text)
                try escape(text)
                runStart = position
            case 0..<0x20:
                throw error(.syntax)
            default:
                position += 1
            }
        }
        throw error(.unexpectedEnd)
    }

    private mutating func finish(_ text: Span<UInt8>) throws(JSONParseError) -> String {
        if unescaped.isEmpty {
            let string: String
            let isASCII: Bool
            do {
                let span = try UTF8Span(validating: text.extracting(runStart..<position))
                (string, isASCII) = (String(copying: span), span.isKnownASCII)
            } catch {
                throw invalidUTF8(error)
            }
            return try whole(string, isASCII: isASCII)
        }
        try takeRun(text)
        return try whole(String(decoding: unescaped, as: UTF8.self), isASCII: false)
    }

    private mutating func whole(_ string: String, isASCII: Bool) throws(JSONParseError) -> String {
        guard isASCII || string.isStreamSafe else { throw error(.tooManyMarks) }
        position += 1
        return string
    }

    /// Each run between escapes is validated by itself, since an escape cannot complete a cut sequence.
    private mutating func takeRun(_ text: Span<UInt8>) throws(JSONParseError) {
        guard runStart < position else { return }
        do {
            _ = try UTF8Span(validating: text.extracting(runStart..<position))
        } catch {
            throw invalidUTF8(error)
        }
        for index in runStart..<position { unescaped.append(text[index]) }
    }

    private func invalidUTF8(_ error: UTF8.ValidationError) -> JSONParseError {
        JSONParseError(kind: .invalidUTF8, offset: runStart + error.byteOffsets.lowerBound)
    }

    private mutating func escape(_ text: Span<UInt8>) throws(JSONParseError) {
        let start = position
        position += 1
        guard position < text.count else { throw error(.unexpectedEnd) }
        switch text[position] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(text[position])
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"): return try unicodeEscape(text, start: start)
        default: throw error(.syntax)
        }
        position += 1
    }

    private mutating func unicodeEscape(_ text: Span<UInt8>, start: Int) throws(JSONParseError) {
        position += 1
        var code = try fourDigits(text)
        if (0xDC00...0xDFFF).contains(code) { throw JSONParseError(kind: .loneSurrogate, offset: start) }
        if (0xD800...0xDBFF).contains(code) {
            for byte in [UInt8(ascii: "\\"), UInt8(ascii: "u")] {
                guard position < text.count else { throw error(.unexpectedEnd) }
                guard text[position] == byte else { throw JSONParseError(kind: .loneSurrogate, offset: start) }
                position += 1
            }
            let low = try fourDigits(text)
            guard (0xDC00...0xDFFF).contains(low) else { throw JSONParseError(kind: .loneSurrogate, offset: start) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw JSONParseError(kind: .loneSurrogate, offset: start) }
        unescaped.append(contentsOf: scalar.utf8)
    }

    private mutating func fourDigits(_ text: Span<UInt8>) throws(JSONParseError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard position < text.count else { throw error(.unexpectedEnd) }
            guard let digit = Hex.value(of: text[position]) else { throw error(.syntax) }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }

    private func error(_ kind: JSONParseError.Kind) -> JSONParseError {
        JSONParseError(kind: kind, offset: position)
    }
}
