/// Checks the field lines after the last chunk (RFC 9112 §7.1.2) and throws them away: nothing here may change how a request
/// that has already been understood is read.
struct TrailerSection: Sendable {
    private let maximumBytes: Int
    private let maximumCount: Int
    private var bytes = 0
    private var count = 0
    private var line: [UInt8] = []
    private var sawCarriageReturn = false

    init(limits: Limits) {
        maximumBytes = limits.trailerSection
        maximumCount = limits.trailerCount
    }

    /// Takes one byte; true after the empty line that ends the section.
    mutating func append(_ byte: UInt8) throws(HTTPParseError) -> Bool {
        if sawCarriageReturn {
            guard byte == .lineFeed else {
                throw .malformedLineEnding
            }
            sawCarriageReturn = false
            guard !line.isEmpty else {
                return true
            }
            try finishLine()
            return false
        }
        switch byte {
        case .carriageReturn: sawCarriageReturn = true
        case .lineFeed: throw .malformedLineEnding
        default:
            guard byte.isText else {
                throw .malformedFieldValue
            }
            line.append(byte)
            // The line end counts too.
            guard bytes + line.count + 2 <= maximumBytes else {
                throw .trailersTooLarge
            }
        }
        return false
    }

    private mutating func finishLine() throws(HTTPParseError) {
        bytes += line.count + 2
        count += 1
        guard count <= maximumCount else {
            throw .trailersTooLarge
        }
        try checkLine()
        line.removeAll(keepingCapacity: true)
    }

    private func checkLine() throws(HTTPParseError) {
        let span = line.span
        let (field, known) = try FieldLine.parse(span, in: 0..<line.count)
        guard known == nil else {
            throw .forbiddenTrailer
        }
        for forbidden in Self.forbidden where span.equalsIgnoringCase(forbidden, in: field.name.range) {
            throw .forbiddenTrailer
        }
    }

    /// Fields for framing, routing, conditions, authentication and content (RFC 9110 §6.5.1), beside all of `KnownField`.
    private static let forbidden: [StaticString] = [
        "age", "cache-control", "content-location", "content-range", "date", "if-match", "if-modified-since", "if-none-match",
        "if-range", "if-unmodified-since", "keep-alive", "max-forwards", "pragma", "proxy-authenticate", "proxy-authorization",
        "proxy-connection", "range", "set-cookie", "te", "trailer", "upgrade", "via", "www-authenticate", "x-forwarded-host",
        "x-forwarded-proto", "x-real-ip",
    ]
}
