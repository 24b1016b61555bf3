import Testing
import Text

@testable import Identity

@Suite struct RecordSplitterTests {
    /// What a splitter finds, however the bytes come.
    private func records(_ make: () -> any RecordSplitter, _ bytes: [UInt8]) -> [RawRecord] {
        var results: [[RawRecord]] = []
        for size in [1, 3, 1000, 5_000_000] {
            var splitter = make()
            var found: [RawRecord] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                splitter.take(rest.prefix(size), &found)
                rest = rest.dropFirst(size)
            }
            splitter.finish(&found)
            results.append(found)
            // Large inputs byte by byte take their time.
            if bytes.count > 100_000, size == 3 { break }
        }
        #expect(Set(results.map { "\($0)".count }).count == 1 && results.dropFirst().allSatisfy { $0 == results[0] })
        return results[0]
    }

    private func json(_ text: String) -> [RawRecord] { records({ JSONElementSplitter() }, Array(text.utf8)) }
    private func csv(_ text: String) -> [RawRecord] { records({ CSVSplitter() }, Array(text.utf8)) }
    private func lines(_ text: String) -> [RawRecord] { records({ LineSplitter() }, Array(text.utf8)) }
    private func object(_ text: String) -> RawRecord { .json(Array(text.utf8)) }

    private func reasons(_ records: [RawRecord]) -> [String] {
        records.map { record in
            switch record {
            case .json: "json"
            case .row: "row"
            case .problem(let problem): problem.reason.rawValue
            }
        }
    }

    @Test func `the elements of a list are found, in a member and by themselves`() {
        let braces = #"{"a":"}]{[\"\\","b":[{}]}"#
        for text in [#"{"users": [\#(braces),{"c":1}]}"#, "[\n\(braces),\n{\"c\":1}\n]\n"] {
            #expect(json(text) == [object(braces), object(#"{"c":1}"#)])
        }
        #expect(json("[]") == [] && json(#"{"users":[]}"#) == [])
    }

    @Test func `what is broken gives a problem, and the next line goes on`() {
        #expect(reasons(json("[{\"a\":\"x\n{\"b\":1},\n{\"c\":1}]")) == ["malformed", "json", "json"])
        #expect(reasons(json("[7,\n{\"b\":1}]")) == ["malformed", "json"])
        #expect(reasons(json("[{\"a\":1},")) == ["json", "truncated"])
        #expect(reasons(json("[{\"a\":{")) == ["truncated"])
        #expect(reasons(json("")) == ["malformed"] && reasons(json("no list")) == ["malformed"])
    }

    @Test func `a gigantic record is dropped, and the others are not`() {
        let giant = String(repeating: "x", count: RecordLimits.byteCount + 10)
        #expect(reasons(json("[{\"a\":\"\(giant)\"},{\"b\":1}]")) == ["too_large", "json"])
        #expect(reasons(lines("{\"a\":\"\(giant)\"}\n{\"b\":1}\n")) == ["too_large", "json"])
        #expect(reasons(csv("a,\(giant)\nb,c\n")) == ["too_large", "row"])
        #expect(reasons(csv("a,\"\(giant)\nb,c\n")) == ["too_large", "row"])
    }

    @Test func `lines are objects, blank ones are none`() {
        #expect(lines("{\"a\":1}\r\n\n  \n{\"b\":2}") == [.json(Array("{\"a\":1}\r".utf8)), object("{\"b\":2}")])
    }

    @Test func `rows have fields, quoted or not`() {
        #expect(csv("a,b,\r\nc,\"d, \"\"e\"\"\n f\",\n\n") == [.row(["a", "b", ""]), .row(["c", "d, \"e\"\n f", ""])])
        // As firebase-tools writes a name with quotes and a comma.
        #expect(csv(#"a,"Anna "the" B, C",d"#) == [.row(["a", #"Anna "the" B, C"#, "d"])])
        #expect(
            reasons(records({ CSVSplitter() }, Array("a,".utf8) + [0xFF, 0x0A] + Array("b,c\n".utf8))) == ["not_text", "row"])
    }
}
