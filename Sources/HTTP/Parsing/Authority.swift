/// The syntax of `Host` and of the authority in an absolute-form target: `host [":" port]` (RFC 9110 §7.2), without user info.
enum Authority {
    /// The longest DNS name.
    private static let maximumHostLength = 255
    /// An IPv6 address with an embedded IPv4 address and both brackets.
    private static let maximumLiteralLength = 47

    static func isValid(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard let hostEnd = endOfHost(bytes, in: range) else {
            return false
        }
        guard hostEnd < range.upperBound else {
            return true
        }
        return bytes[hostEnd] == .ascii(":") && isPort(bytes, in: hostEnd + 1..<range.upperBound)
    }

    private static func endOfHost(_ bytes: Span<UInt8>, in range: Range<Int>) -> Int? {
        guard let first = range.first else {
            return nil
        }
        if bytes[first] == .ascii("[") {
            return endOfLiteral(bytes, in: range)
        }
        let end = bytes.firstIndex(of: .ascii(":"), in: range) ?? range.upperBound
        let host = first..<end
        guard (1...maximumHostLength).contains(host.count), bytes.allSatisfy(.hostName, in: host) else {
            return nil
        }
        return end
    }

    private static func endOfLiteral(_ bytes: Span<UInt8>, in range: Range<Int>) -> Int? {
        guard let bracket = bytes.firstIndex(of: .ascii("]"), in: range) else {
            return nil
        }
        let address = range.lowerBound + 1..<bracket
        let colons = address.count { bytes[$0] == .ascii(":") }
        guard address.count <= maximumLiteralLength - 2, colons >= 2, bytes.allSatisfy(.addressLiteral, in: address) else {
            return nil
        }
        return bracket + 1
    }

    /// 1 to 65535 in at most five digits.
    private static func isPort(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard (1...5).contains(range.count) else {
            return false
        }
        var port = 0
        for index in range {
            guard bytes[index].isDigit else {
                return false
            }
            port = port * 10 + Int(bytes[index] - .ascii("0"))
        }
        return (1...65535).contains(port)
    }
}
