import HTTP
package import Text

/// The fields of an `application/x-www-form-urlencoded` body or query, in their order, every name once.
///
/// Without escapes, which is the way of tokens and so of introspection, it only notes places in the body it was given.
package struct FormFields: Sendable, UnprintedContent {
    /// Most fields a form may have.
    package static let maximumCount = 100

    /// The body itself or, if it had escapes, its decoded names and values.
    private let bytes: [UInt8]
    private let fields: [FieldLine]

    /// - Parameters:
    ///   - repeatsLists: whether a name that ends in `[]` may come again: lists, as Alamofire, Rails and PHP write them.
    ///   - repeated: a name that may come again.
    ///   - limit: how many fields there may be.
    package init(
        parsing body: [UInt8], repeatsLists: Bool = false, repeating repeated: StaticString? = nil, limit: Int = maximumCount
    ) throws(FormError) {
        try self.init(reading: body, limit: limit)
        try checkNames(repeatsLists: repeatsLists, repeating: repeated)
    }

    /// Of a body or a query in which names may come again: whoever reads it says which of them may.
    package init(withRepetitions body: [UInt8]) throws(FormError) {
        try self.init(reading: body, limit: Self.maximumCount)
        guard !fields.contains(where: { $0.name.range.isEmpty }) else { throw .malformed }
    }

    /// Whatever its names are.
    private init(reading body: [UInt8], limit: Int) throws(FormError) {
        if let fields = try Self.places(in: body.span, limit) {
            self.fields = fields
            bytes = body
        } else {
            (bytes, fields) = try Self.decoded(body.span, limit)
        }
    }

    package var count: Int {
        fields.count
    }

    /// All fields, in their order.
    package var pairs: [(name: String, value: String)] {
        fields.map { (bytes.span.text(in: $0.name.range), bytes.span.text(in: $0.value.range)) }
    }

    /// All names, in their order.
    package var names: [String] {
        fields.map { bytes.span.text(in: $0.name.range) }
    }

    /// The value of a field; empty if it came without one.
    package func value(_ name: StaticString) -> String? {
        place(of: name).map { bytes.span.text(in: $0) }
    }

    /// All values of a field, in their order.
    package func values(_ name: StaticString) -> [String] {
        let span = bytes.span
        var values: [String] = []
        for field in fields where span.equals(name, in: field.name.range) { values.append(span.text(in: field.value.range)) }
        return values
    }

    /// The value of a field that must not be seen.
    package func secret(_ name: StaticString) -> SecretString? {
        value(name).map(SecretString.init)
    }

    package var description: String {
        "\(count) form fields"
    }

    private func place(of name: StaticString) -> Range<Int>? {
        let span = bytes.span
        for field in fields where span.equals(name, in: field.name.range) {
            return field.value.range
        }
        return nil
    }

    private func checkNames(repeatsLists: Bool, repeating repeated: StaticString?) throws(FormError) {
        let span = bytes.span
        for (index, field) in fields.enumerated() {
            let name = field.name.range
            guard !name.isEmpty else {
                throw .malformed
            }
            if repeatsLists, name.count >= 2, span.equals("[]", in: name.upperBound - 2..<name.upperBound) { continue }
            if let repeated, span.equals(repeated, in: name) { continue }
            for other in fields[..<index] where span.equals(other.name.range, name) {
                throw .repeatedField(span.text(in: name))
            }
        }
    }
}

extension FormFields {
    /// Finds the fields of a body without escapes; `nil` at the first escape.
    private static func places(in body: Span<UInt8>, _ limit: Int) throws(FormError) -> [FieldLine]? {
        var fields: [FieldLine] = []
        var (start, index) = (0, 0)
        var equals: Int?
        while true {
            index = body.firstFormDelimiter(in: index..<body.count)
            guard index < body.count, body[index] != .ascii("&") else {
                if index > start {
                    let end = equals ?? index
                    fields.append(FieldLine(name: start..<end, value: min(end + 1, index)..<index))
                }
                guard fields.count <= limit else {
                    throw .tooManyFields
                }
                guard index < body.count else {
                    return fields
                }
                (index, equals) = (index + 1, nil)
                start = index
                continue
            }
            switch body[index] {
            case .ascii("="): equals = equals ?? index
            case .ascii("%"), .ascii("+"): return nil
            default: throw .malformed
            }
            index += 1
        }
    }

    /// The same for a body with escapes.
    private static func decoded(_ body: Span<UInt8>, _ limit: Int) throws(FormError) -> ([UInt8], [FieldLine]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count)
        var fields: [FieldLine] = []
        var start = 0
        while start < body.count {
            let end = body.firstIndex(of: .ascii("&"), in: start..<body.count) ?? body.count
            if start < end {
                let equals = body.firstIndex(of: .ascii("="), in: start..<end) ?? end
                let name = try decode(body, in: start..<equals, to: &bytes)
                let value = try decode(body, in: min(equals + 1, end)..<end, to: &bytes)
                fields.append(FieldLine(name: name, value: value))
            }
            guard fields.count <= limit else {
                throw .tooManyFields
            }
            start = end + 1
        }
        return (bytes, fields)
    }

    private static func decode(
        _ body: Span<UInt8>, in range: Range<Int>, to bytes: inout [UInt8]
    ) throws(FormError) -> Range<Int> {
        for index in range where !(0x21...0x7e).contains(body[index]) {
            throw .malformed
        }
        let start = bytes.count
        guard PercentDecoding.append(body, in: range, plus: .space, to: &bytes) else {
            throw .malformed
        }
        let decoded = start..<bytes.count
        guard !bytes[decoded].contains(0), PercentDecoding.text(bytes[decoded]) != nil else {
            throw .malformed
        }
        return decoded
    }
}

extension Span<UInt8> {
    /// Passes over what tokens are made of, in large steps: everything before the returned index is no delimiter.
    private func endOfToken(in range: Range<Int>) -> Int {
        let raw = unsafe bytes
        var index = range.lowerBound
        while index &+ 32 <= range.upperBound {
            let words = raw.fourWords(at: index)
            let flagged =
                Self.unlikeToken(words.0) | Self.unlikeToken(words.1) | Self.unlikeToken(words.2) | Self.unlikeToken(words.3)
            guard flagged & 0x8080_8080_8080_8080 == 0 else { break }
            index &+= 32
        }
        return index
    }

    /// Sets the high bit of some byte if one is below `,`, above `~`, or `=`.
    @inline(__always)
    private static func unlikeToken(_ word: UInt64) -> UInt64 {
        let low = word &- 0x2c2c_2c2c_2c2c_2c2c
        let equals = (word ^ 0x3d3d_3d3d_3d3d_3d3d) &- 0x0101_0101_0101_0101
        let high = word &+ 0x0101_0101_0101_0101
        return (low | equals) & ~word | high | word
    }

    /// The next of `&`, `=`, `%`, `+` or any byte that a form must not contain unescaped; `range.upperBound` if there is none.
    fileprivate func firstFormDelimiter(in range: Range<Int>) -> Int {
        let raw = unsafe bytes
        var index = endOfToken(in: range)
        // As in `firstUnprintable`: what is flagged wrongly comes after something flagged rightly.
        while index &+ 8 <= range.upperBound {
            let word = raw.word(at: index, as: UInt64.self).littleEndian
            let controls = word &- 0x2121_2121_2121_2121
            let delimiters =
                ((word ^ 0x2626_2626_2626_2626) &- 0x0101_0101_0101_0101)
                | ((word ^ 0x3d3d_3d3d_3d3d_3d3d) &- 0x0101_0101_0101_0101)
                | ((word ^ 0x2525_2525_2525_2525) &- 0x0101_0101_0101_0101)
                | ((word ^ 0x2b2b_2b2b_2b2b_2b2b) &- 0x0101_0101_0101_0101)
            let high = word &+ 0x0101_0101_0101_0101
            let flagged = ((controls | delimiters) & ~word | high | word) & 0x8080_8080_8080_8080
            if flagged != 0 {
                return index &+ flagged.trailingZeroBitCount &>> 3
            }
            index &+= 8
        }
        while index < range.upperBound {
            switch self[index] {
            case .ascii("&"), .ascii("="), .ascii("%"), .ascii("+"), 0x00...0x20, 0x7f...0xff: return index
            default: index &+= 1
            }
        }
        return index
    }
}

/// Why a form cannot be read. A field name, which is not a secret, is all it ever quotes.
package enum FormError: Error, Equatable, Sendable {
    /// A byte that must be escaped, a broken escape, text that is not UTF-8 or has too many combining marks in a row, NUL, or a field
    /// without a name.
    case malformed
    case tooManyFields
    /// RFC 6749 §3.1 forbids to send a parameter more than once.
    case repeatedField(String)
}
