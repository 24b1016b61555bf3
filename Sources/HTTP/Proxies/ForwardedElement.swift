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

/// How a proxy names who it got a request from: `node` of RFC 7239 §6, which is also what `X-Forwarded-For` has in practice.
enum ForwardedNode {
    /// Brackets, the longest address and an obfuscated port.
    private static let maximumLength = 96

    /// The address of `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`; nil for everything else, which
    /// includes `unknown` and names like `_proxy`.
    static func address(_ bytes: Span<UInt8>, in range: Range<Int>) -> IPAddress? {
        guard (1...maximumLength).contains(range.count) else { return nil }
        if bytes[range.lowerBound] == .ascii("[") { return literal(bytes, in: range) }
        guard let colon = bytes.firstIndex(of: .ascii(":"), in: range) else {
            return IPAddress(bytes.extracting(range))
        }
        // A second colon: IPv6 without brackets, and so without a port.
        if bytes.firstIndex(of: .ascii(":"), in: colon + 1..<range.upperBound) != nil {
            return IPAddress(bytes.extracting(range))
        }
        guard isPort(bytes, in: colon + 1..<range.upperBound) else { return nil }
        return IPAddress(bytes.extracting(range.lowerBound..<colon))
    }

    private static func literal(_ bytes: Span<UInt8>, in range: Range<Int>) -> IPAddress? {
        guard let bracket = bytes.firstIndex(of: .ascii("]"), in: range) else { return nil }
        let inside = range.lowerBound + 1..<bracket
        guard bytes.firstIndex(of: .ascii(":"), in: inside) != nil else { return nil }
        let rest = bracket + 1..<range.upperBound
        if let colon = rest.first {
            guard bytes[colon] == .ascii(":"), isPort(bytes, in: colon + 1..<range.upperBound) else { return nil }
        }
        return IPAddress(bytes.extracting(inside))
    }

    /// A number of at most five digits, or a name that begins with `_`.
    private static func isPort(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard let first = range.first else { return false }
        if bytes[first] == .ascii("_") { return range.count > 1 && bytes.allSatisfy(.hostName, in: range) }
        return range.count <= 5 && range.allSatisfy { bytes[$0].isDigit }
    }
}
