import Logging

/// Where a request belongs in a trace: W3C Trace Context, level 1, as far as `traceparent` says it.
package struct TraceContext: Equatable, Sendable {
    package let traceID: (upper: UInt64, lower: UInt64)
    /// The caller's span.
    package let parentID: UInt64

    package static func == (left: TraceContext, right: TraceContext) -> Bool {
        left.traceID == right.traceID && left.parentID == right.parentID
    }
}

extension TraceContext {
    /// The length of a value of version 00. Later versions may have more behind a hyphen.
    private static let length = 55

    /// The caller's trace if `traceparent` came once and is well formed (§3.2); anything else counts as none.
    static func wellFormed(in head: RequestHead) -> TraceContext? {
        guard let range = head.fields.value(of: .traceParent), !head.isRepeated(.traceParent) else { return nil }
        return read(head.bytes.span.extracting(range))
    }

    /// `version "-" trace-id "-" parent-id "-" trace-flags`, in lower-case hexadecimal digits; neither id is zero, no version is ff.
    static func read(_ bytes: Span<UInt8>) -> TraceContext? {
        guard bytes.count >= length, bytes[2] == .ascii("-"), bytes[35] == .ascii("-"), bytes[52] == .ascii("-"),
            let version = number(bytes, in: 0..<2), version != 0xff,
            bytes.count == length || version > 0 && bytes[length] == .ascii("-"),
            let upper = number(bytes, in: 3..<19), let lower = number(bytes, in: 19..<35), upper | lower != 0,
            let parent = number(bytes, in: 36..<52), parent != 0, number(bytes, in: 53..<55) != nil
        else { return nil }
        return TraceContext(traceID: (upper, lower), parentID: parent)
    }

    private static func number(_ bytes: Span<UInt8>, in range: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for index in range {
            let byte = bytes[index]
            guard byte.isDigit || byte &- 0x61 < 6 else { return nil }
            number = number &<< 4 | UInt64(byte.isDigit ? byte &- 0x30 : byte &- 0x57)
        }
        return number
    }
}

/// A request of a trace: the caller's context, and the span that the request is here.
struct TraceSpan: Sendable {
    let context: TraceContext
    let spanID: UInt64

    func name(in fields: inout LogFields) {
        fields["trace_id"] = .string(Self.digits(context.traceID.upper) + Self.digits(context.traceID.lower))
        fields["parent_id"] = .string(Self.digits(context.parentID))
        fields["span_id"] = .string(Self.digits(spanID))
    }

    private static func digits(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
