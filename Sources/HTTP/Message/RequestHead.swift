/// A request up to its body: the request line and the fields, checked by `RequestParser`.
///
/// The bytes are kept as they came, in one array; everything else is a place in them, so that a head costs two allocations.
package struct RequestHead: Sendable {
    package let method: Method
    package let version: HTTPVersion
    package let framing: BodyFraming
    package let expectation: ClientExpectation
    /// What the client asks for; the server may still decide to close.
    package let persistence: Persistence

    package let bytes: [UInt8]
    package let pathRange: ByteRange
    let queryRange: ByteRange?
    package let fields: FieldTable

    /// The path as it came: never decoded, never normalised. `*` for `OPTIONS *`.
    package var path: String {
        bytes.span.text(in: pathRange.range)
    }

    /// What follows the `?`, as it came; `nil` without one.
    package var query: String? {
        queryRange.map { bytes.span.text(in: $0.range) }
    }

    package var queryBytes: [UInt8] {
        queryRange.map { [UInt8](bytes[$0.range]) } ?? []
    }

    package var fieldCount: Int {
        fields.lines.count
    }

    /// The first value of a field, without the white space around it.
    package func value(of field: KnownField) -> String? {
        fields.value(of: field).map { bytes.span.text(in: $0) }
    }

    /// Hands `body` the bytes of a field that came exactly once; nil when it did not.
    package func withValue<Result>(of field: KnownField, _ body: (Span<UInt8>) -> Result) -> Result? {
        guard let place = fields.value(of: field), !fields.isRepeated(field) else {
            return nil
        }
        return body(bytes.span.extracting(place))
    }

    package func isRepeated(_ field: KnownField) -> Bool {
        fields.isRepeated(field)
    }

    /// All values of a known field, in their order.
    package func values(of field: KnownField) -> [String] {
        guard isRepeated(field) else {
            return value(of: field).map { [$0] } ?? []
        }
        return values(named: field.name)
    }

    /// All values of any field, in their order. The name must be lower-case.
    package func values(named name: StaticString) -> [String] {
        let span = bytes.span
        var values: [String] = []
        for line in fields.lines where span.equalsIgnoringCase(name, in: line.name.range) {
            values.append(span.text(in: line.value.range))
        }
        return values
    }

    /// All fields whose names begin so, or are no more than that, in their order, with their names in lower case. The beginning must be
    /// lower-case.
    package func fields(beginningWith beginning: StaticString) -> [(name: String, value: String)] {
        let (span, length) = (bytes.span, beginning.utf8CodeUnitCount)
        var found: [(name: String, value: String)] = []
        for line in fields.lines where line.name.range.count >= length {
            let name = line.name.range
            guard span.equalsIgnoringCase(beginning, in: name.lowerBound..<name.lowerBound + length) else { continue }
            found.append((span.text(in: name).lowercased(), span.text(in: line.value.range)))
        }
        return found
    }

    /// Name and value of a field line as they came, by position.
    package func field(at index: Int) -> (name: String, value: String) {
        let line = fields.lines[index]
        return (bytes.span.text(in: line.name.range), bytes.span.text(in: line.value.range))
    }
}

/// The versions spoken here; every other one is answered 505.
package enum HTTPVersion: Sendable {
    case http10
    case http11
}

/// How the body after a request head is delimited (RFC 9112 §6.3).
package enum BodyFraming: Equatable, Sendable {
    /// No body: neither `Content-Length` nor `Transfer-Encoding`, or a length of zero.
    case none
    /// Exactly so many bytes, more than zero.
    case length(Int)
    case chunked
}

/// What the client waits for before it sends the body (RFC 9110 §10.1.1).
package enum ClientExpectation: Sendable {
    case none
    /// Send `100 Continue` before reading the body, unless the final answer is already known.
    case continueBeforeBody
}

/// What becomes of the connection after a response (RFC 9112 §9.3).
package enum Persistence: Sendable {
    /// It stays open, and nobody needs to be told: the way of HTTP/1.1.
    case keepAlive
    /// It stays open and the response says so, which an HTTP/1.0 client must read.
    case announcedKeepAlive
    /// It is closed after the response, which says `Connection: close`.
    case close
}
