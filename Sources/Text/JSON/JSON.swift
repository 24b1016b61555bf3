/// Strict JSON (RFC 8259), safe to use on bytes from anyone.
package enum JSON {
    /// Nesting allowed when the caller says nothing else.
    package static let defaultMaximumDepth = 32

    /// Values allowed when the caller says nothing else: enough for any request, and read in a few milliseconds at worst.
    package static let defaultMaximumValues = 10_000

    /// Arrays and objects are read by recursion, so no caller may ask for a depth that a small thread stack cannot hold.
    private static let highestMaximumDepth = 256

    /// Reads one document in linear time.
    ///
    /// Refused are duplicate member names, nesting beyond `maximumDepth` (at most 256), more than `maximumValues` members and
    /// elements in all, bytes that are not UTF-8, lone surrogates, a byte order mark, control characters in strings, numbers
    /// without a finite value and anything after the value.
    package static func parse(
        _ bytes: Span<UInt8>, maximumDepth: Int = defaultMaximumDepth, maximumValues: Int = defaultMaximumValues
    ) throws(JSONParseError) -> JSONValue {
        var parser = JSONParser(maximumDepth: min(maximumDepth, highestMaximumDepth), maximumValues: maximumValues)
        return try parser.document(bytes)
    }

    package static func parse(
        _ bytes: [UInt8], maximumDepth: Int = defaultMaximumDepth, maximumValues: Int = defaultMaximumValues
    ) throws(JSONParseError) -> JSONValue {
        try parse(bytes.span, maximumDepth: maximumDepth, maximumValues: maximumValues)
    }

    package static func parse(
        _ bytes: ArraySlice<UInt8>, maximumDepth: Int = defaultMaximumDepth, maximumValues: Int = defaultMaximumValues
    ) throws(JSONParseError) -> JSONValue {
        try parse(bytes.span, maximumDepth: maximumDepth, maximumValues: maximumValues)
    }

    package static func parse(
        _ text: String, maximumDepth: Int = defaultMaximumDepth, maximumValues: Int = defaultMaximumValues
    ) throws(JSONParseError) -> JSONValue {
        try parse(text.utf8.span, maximumDepth: maximumDepth, maximumValues: maximumValues)
    }
}
