import Logging

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
