import HTTP
package import Text

/// The name and secret of a client that authenticates by HTTP Basic (RFC 7617), both form-urlencoded before they were joined,
/// as RFC 6749 §2.3.1 asks.
package struct BasicCredentials: Sendable {
    /// Not empty.
    package let id: String
    /// May be empty.
    package let secret: SecretString
}

extension BasicCredentials {
    /// Reads the base64 text behind the scheme; `nil` if any part is malformed, not UTF-8, or has control characters.
    init?(_ bytes: Span<UInt8>, in range: Range<Int>) {
        guard let decoded = Base64.decode(bytes.extracting(range)) else {
            return nil
        }
        let span = decoded.span
        guard let colon = span.firstIndex(of: .ascii(":"), in: 0..<decoded.count), colon > 0,
            let id = Self.part(span, in: 0..<colon),
            let secret = Self.part(span, in: colon + 1..<decoded.count)
        else {
            return nil
        }
        self.id = id
        self.secret = SecretString(secret)
    }

    private static func part(_ bytes: Span<UInt8>, in range: Range<Int>) -> String? {
        guard
            bytes.firstUnprintable(in: range) < range.upperBound || bytes.firstIndex(of: .ascii("%"), in: range) != nil
                || bytes.firstIndex(of: .ascii("+"), in: range) != nil
        else {
            return bytes.text(in: range)
        }
        guard let text = PercentDecoding.text(bytes, in: range, plus: .space),
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            return nil
        }
        return text
    }
}
