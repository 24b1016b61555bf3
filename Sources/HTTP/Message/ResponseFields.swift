/// The fields an endpoint adds to its response, kept as they go out, so that a constant set of them costs one copy.
///
/// A value with anything but printable ASCII in it could split the response (RFC 9110 §5.5); so could a name that is not a
/// token, and a field that the serialiser writes itself could contradict it. None of these is ever written: the field is
/// left out, the set is marked, and `ResponseSerializer` sends a bare 500 in place of the response.
package struct ResponseFields: Sendable, ExpressibleByDictionaryLiteral {
    /// `Name: value` lines with their line ends.
    private(set) var lines: [UInt8] = []
    /// Whether a field was refused.
    package private(set) var isRefused = false

    package init() {}

    package init(dictionaryLiteral fields: (StaticString, String)...) {
        for (name, value) in fields {
            append(name, value)
        }
    }

    package mutating func append(_ name: StaticString, _ value: String) {
        guard Self.isAllowed(name), value.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            isRefused = true
            return
        }
        lines.append(name)
        lines.append(": ")
        lines.append(contentsOf: value.utf8)
        lines.append("\r\n")
    }

    /// A name that has been looked at once, for fields of a busy answer.
    package struct Name: Sendable {
        /// With the colon and the blank.
        fileprivate let bytes: [UInt8]

        package init(_ name: StaticString) {
            precondition(ResponseFields.isAllowed(name), "no name of a field")
            bytes = name.withUTF8Buffer { unsafe [UInt8]($0) } + [.ascii(":"), .space]
        }
    }

    package mutating func reserve(_ bytes: Int) {
        lines.reserveCapacity(lines.count + bytes)
    }

    /// A field whose value `write` appends; none when it returns false.
    package mutating func append(_ name: Name, writing write: (inout [UInt8]) -> Bool) {
        let (start, value) = (lines.count, lines.count + name.bytes.count)
        lines += name.bytes
        guard write(&lines) else {
            lines.removeSubrange(start...)
            return
        }
        for byte in lines[value...] where !(0x20...0x7e).contains(byte) { isRefused = true }
        if isRefused { lines.removeSubrange(start...) } else { lines.append("\r\n") }
    }

    /// All fields of another set.
    package mutating func append(_ other: ResponseFields) {
        lines += other.lines
        isRefused = isRefused || other.isRefused
    }

    package func appending(_ name: StaticString, _ value: String) -> ResponseFields {
        var copy = self
        copy.append(name, value)
        return copy
    }

    /// All values under a name in any case, in their order. For tests and decorators; the serialiser does not look inside.
    package func values(named name: StaticString) -> [String] {
        let wanted = name.description.lowercased()
        return lines.split(separator: .lineFeed).compactMap { line in
            let parts = line.split(separator: .ascii(":"), maxSplits: 1)
            guard parts.count == 2, String(decoding: parts[0], as: UTF8.self).lowercased() == wanted else {
                return nil
            }
            return String(decoding: parts[1].dropFirst().dropLast(), as: UTF8.self)
        }
    }

    private static let writtenBySerializer: [StaticString] = [
        "connection", "content-length", "content-type", "date", "keep-alive", "trailer", "transfer-encoding", "upgrade",
        "x-content-type-options", "x-request-id",
    ]

    private static func isAllowed(_ name: StaticString) -> Bool {
        let bytes = name.withUTF8Buffer { unsafe [UInt8]($0) }
        let span = bytes.span
        let all = 0..<bytes.count
        return !bytes.isEmpty && span.allSatisfy(.token, in: all)
            && !writtenBySerializer.contains { bytes.span.equalsIgnoringCase($0, in: all) }
    }
}

extension [UInt8] {
    /// Appends a literal of the protocol.
    @inline(__always)
    mutating func append(_ literal: StaticString) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }
}
