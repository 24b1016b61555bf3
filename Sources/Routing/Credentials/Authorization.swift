package import HTTP
package import Text

/// The credentials in the `Authorization` field of a request (RFC 9110 §11.6.2).
package enum Authorization: Sendable {
    case basic(BasicCredentials)
    /// RFC 6750 §2.1; a token is never taken from anywhere else.
    case bearer(SecretString)
    /// An access token that is bound to a key (RFC 9449 §7.1). The proof of the key comes in the field `DPoP`.
    case dpop(SecretString)

    /// Longest field value looked at, in bytes.
    package static let maximumLength = 8 * 1024

    /// `nil` without the field.
    package static func parse(_ head: RequestHead) throws(AuthorizationError) -> Authorization? {
        guard let value = head.fields.value(of: .authorization) else {
            return nil
        }
        guard !head.isRepeated(.authorization) else {
            throw .repeated
        }
        guard value.count <= maximumLength else {
            throw .tooLong
        }
        let bytes = head.bytes.span
        let schemeEnd = bytes.firstIndex(of: .space, in: value) ?? value.upperBound
        let scheme = value.lowerBound..<schemeEnd
        var start = schemeEnd
        while start < value.upperBound, bytes[start] == .space {
            start += 1
        }
        let credentials = start..<value.upperBound
        if bytes.equalsIgnoringCase("bearer", in: scheme) {
            try checkToken(bytes, in: credentials)
            return .bearer(SecretString(bytes.text(in: credentials)))
        }
        if bytes.equalsIgnoringCase("dpop", in: scheme) {
            try checkToken(bytes, in: credentials)
            return .dpop(SecretString(bytes.text(in: credentials)))
        }
        guard bytes.equalsIgnoringCase("basic", in: scheme) else {
            throw .unsupportedScheme
        }
        try checkToken(bytes, in: credentials)
        guard let basic = BasicCredentials(bytes, in: credentials) else {
            throw .malformed
        }
        return .basic(basic)
    }

    /// The credentials in a text of the form that the field has for HTTP Basic; nil for anything else.
    package static func basic(in text: String) -> BasicCredentials? {
        let bytes = [UInt8](text.utf8)
        let span = bytes.span
        guard bytes.count <= maximumLength, let end = span.firstIndex(of: .space, in: 0..<bytes.count),
            span.equalsIgnoringCase("basic", in: 0..<end), (try? checkToken(span, in: end + 1..<bytes.count)) != nil
        else { return nil }
        return BasicCredentials(span, in: end + 1..<bytes.count)
    }

    /// `token68`: what both schemes carry.
    private static func checkToken(_ bytes: Span<UInt8>, in range: Range<Int>) throws(AuthorizationError) {
        var index = range.lowerBound
        while index < range.upperBound, ByteClass.token68.contains(bytes[index]) {
            index &+= 1
        }
        let unpadded = index
        while index < range.upperBound, bytes[index] == .ascii("=") {
            index &+= 1
        }
        guard index == range.upperBound else {
            throw bytes.firstIndex(of: .ascii(","), in: index..<range.upperBound) == nil ? .malformed : .combined
        }
        guard unpadded > range.lowerBound else {
            throw .malformed
        }
    }
}

/// Why an `Authorization` field cannot be used. No case carries any of it.
package enum AuthorizationError: Error, Hashable, CaseIterable, Sendable {
    /// The field came more than once.
    case repeated
    /// Several credentials in one field, joined by a comma.
    case combined
    case tooLong
    case unsupportedScheme
    case malformed
}

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
