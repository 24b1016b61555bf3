package import HTTP
package import Text

/// The credentials in the `Authorization` field of a request (RFC 9110 §11.6.2).
package enum Authorization: Sendable {
    case basic(BasicCredentials)
    /// RFC 6750 §2.1; a token is never taken from anywhere else.
    case bearer(SecretString)

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
        guard bytes.equalsIgnoringCase("basic", in: scheme) else {
            throw .unsupportedScheme
        }
        try checkToken(bytes, in: credentials)
        guard let basic = BasicCredentials(bytes, in: credentials) else {
            throw .malformed
        }
        return .basic(basic)
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
