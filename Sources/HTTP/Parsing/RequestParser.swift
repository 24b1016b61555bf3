/// Reads request heads off the bytes of a connection (RFC 9112 §2 to §6), strictly and incrementally.
///
/// It is a pure value: give it everything received and not yet consumed, and again with more behind it while it answers
/// `incomplete`. No byte is looked at twice however the input is cut, and the outcome does not depend on the cuts. After a
/// complete head it is ready for the next request; after an error it only ever repeats that error.
package struct RequestParser: Sendable {
    private enum Phase {
        case start
        case requestLine
        case fields
        case refused(HTTPParseError)
    }

    /// What the compact places in a head can hold, far above any sensible limit.
    private static let largestSection = 16 * 1024 * 1024
    private static let largestFieldCount = 10_000

    private let maximumRequestLine: Int
    private let maximumHeaderSection: Int
    private let maximumFieldCount: Int
    private var phase = Phase.start
    private var line: RequestLine?
    private var fields = FieldTable()
    /// Bytes before the request line: 2 if the client sent an empty line first.
    private var origin = 0
    private var lineStart = 0
    private var sectionEnd = 0
    /// Everything before this offset has been seen to contain no line end after `lineStart`.
    private var scanned = 0

    package init(limits: Limits) {
        maximumRequestLine = min(limits.requestLine, Self.largestSection)
        maximumHeaderSection = min(limits.headerSection, Self.largestSection)
        maximumFieldCount = min(limits.fieldCount, Self.largestFieldCount)
    }

    /// Whether any byte of a request has been seen, which is when the deadline for the head starts.
    package var isInsideRequest: Bool {
        if case .start = phase { false } else { true }
    }

    /// Goes on with the head (RFC 9112 §2) at the beginning of the input.
    /// - Parameter input: everything that has been received and not been consumed, the part that an earlier call has seen included.
    /// - Returns: the head and how many bytes are its own, or that it is still incomplete.
    /// - Throws: `HTTPParseError` for what is no request, or one beyond the limits.
    package mutating func parse(_ input: Span<UInt8>) throws(HTTPParseError) -> ParseProgress<RequestHead> {
        do {
            return try advance(input)
        } catch {
            phase = .refused(error)
            throw error
        }
    }

    private mutating func advance(_ input: Span<UInt8>) throws(HTTPParseError) -> ParseProgress<RequestHead> {
        if case .start = phase, try !skipEmptyLine(input) {
            return .incomplete
        }
        let bytes = input.extracting(droppingFirst: origin)
        if case .requestLine = phase, try !readRequestLine(bytes) {
            return .incomplete
        }
        if case .refused(let error) = phase {
            throw error
        }
        guard try readFields(bytes), let line = line.take() else {
            return .incomplete
        }
        let head = try finish(line, bytes)
        let consumed = origin + lineStart + 2
        restart()
        return .complete(head, consumed: consumed)
    }

    private mutating func restart() {
        phase = .start
        fields = FieldTable()
        (origin, lineStart, scanned) = (0, 0, 0)
    }

    /// A single empty line before the request line is forgiven (RFC 9112 §2.2); a second one is not.
    private mutating func skipEmptyLine(_ input: Span<UInt8>) throws(HTTPParseError) -> Bool {
        guard input.count > 0 else {
            return false
        }
        if input[0] == .carriageReturn {
            guard input.count > 1 else {
                return false
            }
            guard input[1] == .lineFeed else {
                throw .malformedLineEnding
            }
            origin = 2
        }
        phase = .requestLine
        return true
    }

    private mutating func readRequestLine(_ bytes: Span<UInt8>) throws(HTTPParseError) -> Bool {
        guard let end = try lineEnd(bytes, notAfter: maximumRequestLine, .requestLineTooLong, .malformedRequestLine) else {
            return false
        }
        line = try RequestLine(bytes, in: 0..<end)
        lineStart = scanned
        sectionEnd = lineStart + maximumHeaderSection
        phase = .fields
        return true
    }

    /// Reads field lines up to the empty line, at which `lineStart` is left; false if it has not arrived.
    private mutating func readFields(_ bytes: Span<UInt8>) throws(HTTPParseError) -> Bool {
        while lineStart < bytes.count {
            if bytes[lineStart] == .carriageReturn {
                guard lineStart &+ 1 < bytes.count else {
                    return false
                }
                guard bytes[lineStart &+ 1] == .lineFeed else {
                    throw .malformedLineEnding
                }
                return true
            }
            guard fields.lines.count < maximumFieldCount else {
                throw .tooManyFields
            }
            let last = sectionEnd &- 2
            guard let end = try lineEnd(bytes, notAfter: last, .headerSectionTooLarge, .malformedFieldValue) else {
                return false
            }
            let (line, known) = try FieldLine.parse(bytes, in: lineStart..<end)
            fields.append(line, as: known)
            lineStart = scanned
        }
        return false
    }

    /// The offset of the CR LF that ends the current line; `nil` if it has not arrived yet.
    private mutating func lineEnd(
        _ bytes: Span<UInt8>, notAfter last: Int, _ tooLong: HTTPParseError, _ malformed: HTTPParseError
    ) throws(HTTPParseError) -> Int? {
        guard scanned <= last else {
            throw tooLong
        }
        let limit = min(bytes.count, last &+ 1)
        while true {
            scanned = bytes.firstUnprintable(in: scanned..<limit)
            guard scanned < limit else {
                guard scanned <= last else {
                    throw tooLong
                }
                return nil
            }
            switch bytes[scanned] {
            case .tab where malformed == .malformedFieldValue:
                scanned &+= 1
            case .carriageReturn:
                guard scanned &+ 1 < bytes.count else {
                    return nil
                }
                guard bytes[scanned &+ 1] == .lineFeed else {
                    throw .malformedLineEnding
                }
                scanned &+= 2
                return scanned &- 2
            case .lineFeed: throw .malformedLineEnding
            default: throw malformed
            }
        }
    }

    private func finish(_ line: RequestLine, _ bytes: Span<UInt8>) throws(HTTPParseError) -> RequestHead {
        try checkHost(line, bytes)
        guard !fields.isRepeated(.contentType) else {
            throw .repeatedField
        }
        let framing = try BodyFraming(bytes, fields, version: line.version)
        return RequestHead(
            method: line.method,
            version: line.version,
            framing: framing,
            expectation: try ClientExpectation(bytes, fields, version: line.version, framing: framing),
            persistence: try Persistence(bytes, fields, version: line.version),
            bytes: unsafe bytes.extracting(0..<lineStart).withUnsafeBufferPointer { unsafe [UInt8]($0) },
            pathRange: line.target.path,
            queryRange: line.target.query,
            fields: fields)
    }

    /// RFC 9112 §3.2: exactly one valid Host in HTTP/1.1, at most one before; an absolute-form target must agree with it.
    private func checkHost(_ line: RequestLine, _ bytes: Span<UInt8>) throws(HTTPParseError) {
        guard !fields.isRepeated(.host) else {
            throw .repeatedField
        }
        guard let host = fields.value(of: .host) else {
            guard line.version == .http10 else {
                throw .missingHost
            }
            guard line.target.authority == nil else {
                throw .mismatchedAuthority
            }
            return
        }
        guard Authority.isValid(bytes, in: host) else {
            throw .malformedHost
        }
        if let authority = line.target.authority, !bytes.equalsIgnoringCase(authority.range, host) {
            throw .mismatchedAuthority
        }
    }
}

/// How far a parser got. Malformed input is not here: it is thrown.
package enum ParseProgress<Value: Sendable>: Sendable {
    /// A whole value, and the number of bytes from the start of the input that it took.
    case complete(Value, consumed: Int)
    /// Everything so far is well formed; call again with the same bytes and more after them.
    case incomplete
}

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
