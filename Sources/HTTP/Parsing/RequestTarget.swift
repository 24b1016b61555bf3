/// The target of a request (RFC 9112 §3.2) as places in the head's bytes.
struct RequestTarget: Sendable {
    let path: ByteRange
    /// What follows the `?`; `nil` without one.
    let query: ByteRange?
    /// Host and port of an absolute-form target, which must be those of the Host field.
    let authority: ByteRange?

    private init(path: Range<Int>, query: Range<Int>?, authority: Range<Int>?) {
        self.path = ByteRange(path)
        self.query = query.map(ByteRange.init)
        self.authority = authority.map(ByteRange.init)
    }

    static func parse(_ bytes: Span<UInt8>, in range: Range<Int>, method: Method) throws(HTTPParseError) -> RequestTarget {
        guard method != .connect else {
            throw .connectMethod
        }
        guard let first = range.first else {
            throw .malformedTarget
        }
        if bytes[first] == .ascii("/") {
            return try originForm(bytes, in: range, authority: nil)
        }
        if method == .options, bytes.equals("*", in: range) {
            return RequestTarget(path: range, query: nil, authority: nil)
        }
        return try absoluteForm(bytes, in: range)
    }

    private static func originForm(
        _ bytes: Span<UInt8>, in range: Range<Int>, authority: Range<Int>?
    ) throws(HTTPParseError) -> RequestTarget {
        var end = range.lowerBound
        while end < range.upperBound, ByteClass.path.contains(bytes[end]) {
            end &+= 1
        }
        let query = try query(bytes, in: end..<range.upperBound)
        return RequestTarget(path: range.lowerBound..<end, query: query, authority: authority)
    }

    private static func absoluteForm(_ bytes: Span<UInt8>, in range: Range<Int>) throws(HTTPParseError) -> RequestTarget {
        guard let colon = bytes.firstIndex(of: .ascii(":"), in: range),
            bytes.equalsIgnoringCase("http", in: range.lowerBound..<colon)
                || bytes.equalsIgnoringCase("https", in: range.lowerBound..<colon),
            range.upperBound - colon > 3, bytes.equals("://", in: colon..<colon + 3)
        else {
            throw .malformedTarget
        }
        let start = colon + 3
        var end = start
        while end < range.upperBound, bytes[end] != .ascii("/"), bytes[end] != .ascii("?") {
            end += 1
        }
        guard Authority.isValid(bytes, in: start..<end) else {
            throw .malformedTarget
        }
        if end < range.upperBound, bytes[end] == .ascii("/") {
            return try originForm(bytes, in: end..<range.upperBound, authority: start..<end)
        }
        // No path means "/"; the last slash of "://" lends it its byte.
        let query = try query(bytes, in: end..<range.upperBound)
        return RequestTarget(path: start - 1..<start, query: query, authority: start..<end)
    }

    /// What is left behind the path: nothing, or a `?` and the query.
    private static func query(_ bytes: Span<UInt8>, in range: Range<Int>) throws(HTTPParseError) -> Range<Int>? {
        guard let first = range.first else {
            return nil
        }
        let query = first + 1..<range.upperBound
        guard bytes[first] == .ascii("?"), bytes.allSatisfy(.query, in: query) else {
            throw .malformedTarget
        }
        return query
    }
}
