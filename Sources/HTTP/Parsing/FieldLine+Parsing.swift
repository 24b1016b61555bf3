extension FieldLine {
    /// Splits a line at its colon (RFC 9112 §5). White space before the colon or the name, and folded lines, are refused, for
    /// they are not token characters.
    @inline(__always)
    static func parse(
        _ bytes: Span<UInt8>, in range: Range<Int>
    ) throws(HTTPParseError) -> (line: FieldLine, known: KnownField?) {
        guard let colon = bytes.firstIndex(of: .ascii(":"), in: range), colon > range.lowerBound else {
            throw .malformedFieldName
        }
        let name = range.lowerBound..<colon
        let known = KnownField(bytes, in: name)
        guard known != nil || bytes.allSatisfy(.token, in: name) else {
            throw .malformedFieldName
        }
        return (FieldLine(name: name, value: bytes.trimmingWhitespace(colon &+ 1..<range.upperBound)), known)
    }
}
