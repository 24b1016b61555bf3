import Logging
import Testing

@testable import HTTP

@Suite("TraceContext: traceparent") struct TraceContextTests {
    static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    static let parent = "00f067aa0ba902b7"
    private static let context = TraceContext(
        traceID: (0x4bf9_2f35_77b3_4da6, 0xa3ce_929d_0e0e_4736), parentID: 0x00f0_67aa_0ba9_02b7)

    private static func fields(_ span: TraceSpan) -> LogFields {
        var fields: LogFields = [:]
        span.name(in: &fields)
        return fields
    }

    private func read(_ values: String...) throws -> TraceContext? {
        TraceContext.wellFormed(in: try parsedHead(fields: values.map { "Traceparent: \($0)" }))
    }

    static let good: [String] = [
        "00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-00", "00-\(trace)-\(parent)-ff", "  00-\(trace)-\(parent)-01\t",
        // Versions to come are read like this one, whatever follows.
        "01-\(trace)-\(parent)-01", "fe-\(trace)-\(parent)-01-and-more", "cc-\(trace)-\(parent)-01-",
    ]

    @Test(arguments: good)
    func `a well-formed context is read`(value: String) throws {
        #expect(try read(value) == Self.context)
    }

    static let bad: [String] = [
        "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-", "00-\(trace)-\(parent)-0", "00-\(trace)-\(parent)-011",
        "00-\(trace)-\(parent)-01-", "00-\(trace)-\(parent)-01-more", "01-\(trace)-\(parent)-01more", "ff-\(trace)-\(parent)-01",
        "0-\(trace)-\(parent)-001", "0g-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-0g", "00_\(trace)-\(parent)-01",
        "00-\(trace)_\(parent)-01",
        "00-\(trace)-\(parent)_01", "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent.uppercased())-01",
        "0A-\(trace)-\(parent)-01",
        "00-\(trace)-\(parent)-0A", "00-\(String(repeating: "0", count: 32))-\(parent)-01", "00-\(trace)-0000000000000000-01",
        "00-\(trace.dropLast())-\(parent)-01", "00-\(trace)0-\(parent)-01", "00-\(trace.dropLast())/-\(parent)-01",
        "00-\(trace.dropLast()):-\(parent)-01",
        "00-\(trace.dropLast())`-\(parent)-01", "00-\(trace)-\(parent)-01, 00-\(trace)-\(parent)-01",
    ]

    @Test(arguments: bad)
    func `anything else is ignored`(value: String) throws {
        #expect(try read(value) == nil)
    }

    @Test func `two are none, and so is none`() throws {
        let value = "00-\(Self.trace)-\(Self.parent)-01"
        #expect(try read(value, value) == nil)
        #expect(try read() == nil)
        #expect(
            TraceContext.wellFormed(in: try parsedHead(fields: ["Trace-Parent: \(value)", "X-Traceparent: \(value)"])) == nil)
    }

    @Test func `no prefix is a context, and each id may be almost zero`() throws {
        let value = "00-\(Self.trace)-\(Self.parent)-01"
        for length in 0..<value.utf8.count { #expect(try read(String(value.prefix(length))) == nil) }
        #expect(
            try read("00-\(String(repeating: "0", count: 31))1-0000000000000001-01") == TraceContext(traceID: (0, 1), parentID: 1)
        )
        #expect(try read("00-1\(String(repeating: "0", count: 31))-1000000000000000-01") != nil)
    }

    @Test func `ids are written with all their digits`() {
        var fields = Self.fields(TraceSpan(context: Self.context, spanID: 0x1f))
        #expect(
            fields == [
                "trace_id": .string(Self.trace), "parent_id": .string(Self.parent), "span_id": .string("000000000000001f"),
            ])
        fields = Self.fields(TraceSpan(context: TraceContext(traceID: (0, 1), parentID: .max), spanID: .max))
        #expect(fields["trace_id"] == .string(String(repeating: "0", count: 31) + "1"))
        #expect(fields["parent_id"] == .string(String(repeating: "f", count: 16)))
    }

    @Test func `every span has an id of its own that is not zero`() {
        var ids = RequestIDSource(random: 0)
        let spans = (0..<10_000).map { _ in ids.nextSpan() }
        #expect(Set(spans).count == spans.count)
        #expect(!spans.contains(0))
    }
}
