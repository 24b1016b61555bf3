import Networking

/// One element of a list of proxies: what one of them has added.
///
/// Elements are taken off the right end. There stands what the last proxy wrote; what is on the left of it came with the request, and
/// cannot change how the right is read, whatever quotes it leaves open.
enum ForwardedElement {
    /// Where the last element of a list lies.
    static func last(of field: ForwardedField, _ bytes: Span<UInt8>, in range: Range<Int>) -> Range<Int> {
        var (start, isQuoted) = (range.upperBound, false)
        while start > range.lowerBound {
            switch (bytes[start - 1], field) {
            case (.ascii("\""), .forwarded): isQuoted.toggle()
            case (.ascii(","), _) where !isQuoted: return start..<range.upperBound
            default: break
            }
            start -= 1
        }
        return range
    }

    /// The address that an element names; nil for one that names none, or nothing that can be read.
    static func address(_ field: ForwardedField, _ bytes: Span<UInt8>, in range: Range<Int>) -> IPAddress? {
        switch field {
        case .xForwardedFor: ForwardedNode.address(bytes, in: bytes.trimmingWhitespace(range))
        case .forwarded: forParameter(bytes, in: range).flatMap { ForwardedNode.address(bytes, in: $0) }
        }
    }

    /// The value of `for` among the pairs of an element (RFC 7239 §4), without its quotes; nil unless it is there once.
    private static func forParameter(_ bytes: Span<UInt8>, in range: Range<Int>) -> Range<Int>? {
        var (start, isQuoted) = (range.lowerBound, false)
        var found: Range<Int>?
        for index in range.lowerBound...range.upperBound {
            if index < range.upperBound {
                if bytes[index] == .ascii("\"") { isQuoted.toggle() }
                guard bytes[index] == .ascii(";"), !isQuoted else { continue }
            }
            let pair = bytes.trimmingWhitespace(start..<index)
            start = index + 1
            // RFC 7239 §4 lets pairs be left out.
            guard !pair.isEmpty else { continue }
            guard let equals = bytes.firstIndex(of: .ascii("="), in: pair) else { return nil }
            guard bytes.equalsIgnoringCase("for", in: pair.lowerBound..<equals) else { continue }
            guard found == nil, let value = unquoted(bytes, in: equals + 1..<pair.upperBound) else { return nil }
            found = value
        }
        return isQuoted ? nil : found
    }

    private static func unquoted(_ bytes: Span<UInt8>, in range: Range<Int>) -> Range<Int>? {
        guard let first = range.first, bytes[first] == .ascii("\"") else { return range }
        guard range.count > 1, bytes[range.upperBound - 1] == .ascii("\"") else { return nil }
        return first + 1..<range.upperBound - 1
    }
}
