extension BodyFraming {
    /// Decides the framing from the fields, refusing everything that two readers could understand differently (RFC 9112 §6).
    init(_ bytes: Span<UInt8>, _ fields: FieldTable, version: HTTPVersion) throws(HTTPParseError) {
        guard let coding = fields.value(of: .transferEncoding) else {
            self = try Self.byLength(bytes, fields)
            return
        }
        guard version == .http11 else {
            throw .transferEncodingBeforeHTTP11
        }
        guard fields.value(of: .contentLength) == nil else {
            throw .conflictingFraming
        }
        guard !fields.isRepeated(.transferEncoding) else {
            throw .repeatedField
        }
        guard bytes.equalsIgnoringCase("chunked", in: coding) else {
            throw Self.refusal(ofCoding: coding, in: bytes)
        }
        self = .chunked
    }

    private static func byLength(_ bytes: Span<UInt8>, _ fields: FieldTable) throws(HTTPParseError) -> BodyFraming {
        guard let value = fields.value(of: .contentLength) else {
            return .none
        }
        guard !fields.isRepeated(.contentLength) else {
            throw .repeatedField
        }
        let length = try contentLength(bytes, in: value)
        return length == 0 ? .none : .length(length)
    }

    /// One to nineteen digits that fit an `Int`; a list of equal lengths, which RFC 9112 §6.3 lets one repair, is refused.
    private static func contentLength(_ bytes: Span<UInt8>, in range: Range<Int>) throws(HTTPParseError) -> Int {
        guard (1...19).contains(range.count) else {
            throw .malformedContentLength
        }
        var length = 0
        for index in range {
            guard bytes[index].isDigit else {
                throw .malformedContentLength
            }
            let (tens, tooLarge) = length.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = tens.addingReportingOverflow(Int(bytes[index] &- .ascii("0")))
            guard !tooLarge, !overflow else {
                throw .malformedContentLength
            }
            length = sum
        }
        return length
    }

    /// 501 for a single coding other than `chunked`, or for a well-formed list that ends in `chunked`; 400 for all else, where
    /// the end of the body cannot be told (RFC 9112 §6.1 and §6.3).
    private static func refusal(ofCoding range: Range<Int>, in bytes: Span<UInt8>) -> HTTPParseError {
        var start = range.lowerBound
        var members: [Range<Int>] = []
        while start <= range.upperBound {
            let end = bytes.firstIndex(of: .ascii(","), in: start..<range.upperBound) ?? range.upperBound
            let member = bytes.trimmingWhitespace(start..<end)
            guard !member.isEmpty, bytes.allSatisfy(.token, in: member) else {
                return .malformedTransferEncoding
            }
            members.append(member)
            start = end + 1
        }
        guard members.count > 1 else {
            return .unsupportedTransferCoding
        }
        let chunked = members.filter { bytes.equalsIgnoringCase("chunked", in: $0) }
        return chunked == [members[members.count - 1]] ? .unsupportedTransferCoding : .malformedTransferEncoding
    }
}
