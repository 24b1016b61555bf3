/// The first line of a request (RFC 9112 §3): exactly one space between method, target and version.
struct RequestLine: Sendable {
    let method: Method
    let version: HTTPVersion
    let target: RequestTarget

    /// Reads a line that holds only 0x20...0x7E.
    init(_ bytes: Span<UInt8>, in range: Range<Int>) throws(HTTPParseError) {
        guard let firstSpace = bytes.firstIndex(of: .space, in: range) else {
            throw .malformedRequestLine
        }
        guard let method = Method(bytes, in: range.lowerBound..<firstSpace) else {
            throw .malformedMethod
        }
        let rest = firstSpace &+ 1..<range.upperBound
        guard let secondSpace = bytes.firstIndex(of: .space, in: rest) else {
            throw .malformedRequestLine
        }
        self.method = method
        version = try Self.version(bytes, in: secondSpace &+ 1..<range.upperBound)
        target = try RequestTarget.parse(bytes, in: rest.lowerBound..<secondSpace, method: method)
    }

    private static func version(_ bytes: Span<UInt8>, in range: Range<Int>) throws(HTTPParseError) -> HTTPVersion {
        if bytes.equals("HTTP/1.1", in: range) {
            return .http11
        }
        if bytes.equals("HTTP/1.0", in: range) {
            return .http10
        }
        let start = range.lowerBound
        guard range.count == 8, bytes.equals("HTTP/", in: start..<start + 5), bytes[start + 5].isDigit,
            bytes[start + 6] == .ascii("."), bytes[start + 7].isDigit
        else {
            throw .malformedRequestLine
        }
        throw .unsupportedVersion
    }
}
