package import HTTP

/// What the `Content-Type` of a request announces, as far as any route cares (RFC 9110 §8.3).
package enum ContentType: Sendable {
    case absent
    case json
    case form
    /// `multipart/form-data` with a boundary (RFC 7578).
    case multipart
    case securityEvent
    /// Any other type, a malformed one, or one of the above in another encoding than UTF-8.
    case unsupported

    package init(of head: RequestHead) {
        guard let value = head.fields.value(of: .contentType) else {
            self = .absent
            return
        }
        self.init(head.bytes.span, in: value)
    }

    private init(_ bytes: Span<UInt8>, in value: Range<Int>) {
        // What nearly everybody sends.
        if bytes.hasName("application/json", in: value) {
            self = .json
            return
        }
        if bytes.hasName("application/x-www-form-urlencoded", in: value) {
            self = .form
            return
        }
        let end = bytes.firstIndex(of: .ascii(";"), in: value) ?? value.upperBound
        let essence = bytes.trimmingWhitespace(value.lowerBound..<end)
        guard end == value.upperBound || Self.hasUTF8Parameters(bytes, in: end..<value.upperBound) else {
            self = .unsupported
            return
        }
        if bytes.equalsIgnoringCase("application/json", in: essence) {
            self = .json
        } else if bytes.equalsIgnoringCase("application/x-www-form-urlencoded", in: essence) {
            self = .form
        } else if bytes.equalsIgnoringCase("multipart/form-data", in: essence),
            Self.parameter("boundary", bytes, in: end..<value.upperBound) != nil
        {
            self = .multipart
        } else if bytes.equalsIgnoringCase("application/secevent+jwt", in: essence) {
            self = .securityEvent
        } else {
            self = .unsupported
        }
    }

    /// What stands between the parts of a `multipart/form-data` body (RFC 2046 §5.1.1); nil when the type is another one.
    package static func multipartBoundary(of head: RequestHead) -> String? {
        guard let value = head.fields.value(of: .contentType), ContentType(of: head) == .multipart else { return nil }
        let bytes = head.bytes.span
        let start = bytes.firstIndex(of: .ascii(";"), in: value) ?? value.upperBound
        return parameter("boundary", bytes, in: start..<value.upperBound).map { bytes.text(in: $0) }
    }

    /// The value of a parameter, if it has the length of a boundary.
    private static func parameter(_ name: StaticString, _ bytes: Span<UInt8>, in range: Range<Int>) -> Range<Int>? {
        var index = range.lowerBound
        while index < range.upperBound {
            let end = endOfParameter(bytes, from: index + 1, to: range.upperBound)
            let parameter = bytes.trimmingWhitespace(index + 1..<end)
            index = end
            guard let equals = bytes.firstIndex(of: .ascii("="), in: parameter),
                bytes.equalsIgnoringCase(name, in: parameter.lowerBound..<equals),
                let value = parameterValue(bytes, in: equals + 1..<parameter.upperBound), (1...70).contains(value.count)
            else { continue }
            return value
        }
        return nil
    }

    /// Whether the parameters are well formed and name no encoding but UTF-8, and that at most once.
    private static func hasUTF8Parameters(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        var index = range.lowerBound
        var sawCharset = false
        while index < range.upperBound {
            // At a semicolon; white space may stand on both sides of it, and nothing but that after the last one.
            let end = endOfParameter(bytes, from: index + 1, to: range.upperBound)
            let parameter = bytes.trimmingWhitespace(index + 1..<end)
            index = end
            guard !parameter.isEmpty else {
                continue
            }
            guard let equals = bytes.firstIndex(of: .ascii("="), in: parameter), equals > parameter.lowerBound,
                bytes.allSatisfy(.token, in: parameter.lowerBound..<equals),
                let value = parameterValue(bytes, in: equals + 1..<parameter.upperBound)
            else {
                return false
            }
            if bytes.equalsIgnoringCase("charset", in: parameter.lowerBound..<equals) {
                // `utf8` is the other label of the same encoding (Encoding Standard §4.2), and what many a client calls it.
                guard !sawCharset, bytes.equalsIgnoringCase("utf-8", in: value) || bytes.equalsIgnoringCase("utf8", in: value)
                else {
                    return false
                }
                sawCharset = true
            }
        }
        return true
    }

    /// The next semicolon outside quotes.
    private static func endOfParameter(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var (index, quoted) = (start, false)
        while index < end {
            switch bytes[index] {
            case .ascii("\""): quoted.toggle()
            case .ascii("\\") where quoted: index += 1
            case .ascii(";") where !quoted: return index
            default: break
            }
            index += 1
        }
        return end
    }

    /// A token, or the inside of a quoted string; an escaped quote stays escaped, for no value of interest has one.
    private static func parameterValue(_ bytes: Span<UInt8>, in range: Range<Int>) -> Range<Int>? {
        if !range.isEmpty, bytes.allSatisfy(.token, in: range) {
            return range
        }
        guard range.count >= 2, bytes[range.lowerBound] == .ascii("\""), bytes[range.upperBound - 1] == .ascii("\"") else {
            return nil
        }
        return range.lowerBound + 1..<range.upperBound - 1
    }
}
