import Networking

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
