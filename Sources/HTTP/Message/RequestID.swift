/// The `X-Request-Id` that a caller may choose.
package enum RequestID {
    /// Longest identifier taken over from a request.
    private static let maximumLength = 128

    /// The caller's identifier if there is exactly one and it has 1 to 128 letters, digits, `-`, `.` or `_`; anything else could
    /// confuse a log or its reader, and the server then makes its own.
    package static func wellFormed(in head: RequestHead) -> String? {
        guard let range = head.fields.value(of: .requestID), !head.isRepeated(.requestID) else {
            return nil
        }
        let span = head.bytes.span
        guard (1...maximumLength).contains(range.count), span.allSatisfy(.hostName, in: range) else {
            return nil
        }
        return span.text(in: range)
    }
}
