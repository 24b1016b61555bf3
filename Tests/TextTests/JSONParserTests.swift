import Testing
import Text

@Suite("JSON parsing, RFC 8259")
struct JSONParserTests {
    private func kind(_ bytes: [UInt8], maximumDepth: Int = JSON.defaultMaximumDepth) -> JSONParseError.Kind? {
        do throws(JSONParseError) {
            _ = try JSON.parse(bytes, maximumDepth: maximumDepth)
            return nil
        } catch {
            return error.kind
        }
    }

    private func kind(_ text: String) -> JSONParseError.Kind? {
        kind([UInt8](text.utf8))
    }

    @Test(arguments: JSONSamples.accepted)
    func `a valid document is accepted and survives being written`(text: String) throws {
        let value = try JSON.parse(text)
        #expect(try JSON.parse(value.serialized) == value)
    }

    @Test(arguments: JSONSamples.refused)
    func `an invalid document is refused`(text: String) {
        #expect(throws: JSONParseError.self) { try JSON.parse(text) }
    }

    @Test(arguments: JSONSamples.brokenUTF8)
    func `bytes that are not UTF-8 are refused where they stand`(bytes: [UInt8]) {
        let text = [UInt8]("{\"a\":\"é".utf8) + bytes + [UInt8]("\"}".utf8)
        #expect(throws: JSONParseError(kind: .invalidUTF8, offset: 8)) { try JSON.parse(text) }
        #expect(kind([UInt8]("[\"\\n".utf8) + bytes + [UInt8]("\"]".utf8)) == .invalidUTF8)
        #expect(kind([UInt8]("{\"".utf8) + bytes + [UInt8]("\":1}".utf8)) == .invalidUTF8)
        #expect(kind(bytes) != nil)
        #expect(kind([UInt8]("[".utf8) + bytes + [UInt8]("]".utf8)) != nil)
    }

    @Test func `an escape does not mend a sequence that it cuts`() {
        #expect(kind([0x22, 0xC3] + [UInt8]("\\u00a9".utf8) + [0xA9, 0x22]) == .invalidUTF8)
    }

    @Test(
        arguments: [
            [0xEF, 0xBB, 0xBF, 0x7B, 0x7D], [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00], [0xFE, 0xFF, 0x00, 0x7B, 0x00, 0x7D],
            [0x7B, 0x00, 0x7D, 0x00],
        ] as [[UInt8]])
    func `UTF-16 and a byte order mark are refused`(bytes: [UInt8]) {
        #expect(kind(bytes) == (bytes[0] == 0xEF ? .byteOrderMark : .syntax))
    }

    @Test(arguments: [
        "\"\\ud800\"", "\"\\udc00\"", "\"\\udfff\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\n\"", "\"\\ud800\\u0041\"",
        "\"\\ud800\\ud800\"",
        "\"\\udbff\\udbff\\udc00\"", "\"x\\uDead\"", "{\"\\ud800\":1}",
    ])
    func `half of a surrogate pair is refused`(text: String) {
        #expect(kind(text) == .loneSurrogate)
    }

    @Test(arguments: 0..<0x20)
    func `a control character in a string is refused`(code: UInt8) {
        #expect(kind([0x22, 0x61, code, 0x22]) == .syntax)
    }

    @Test func `escapes are undone`() throws {
        let text = #""\"\\\/\b\f\n\r\t\u0000\u00e9\u20AC\ud83d\uDE00 é😀""#
        #expect(try JSON.parse(text) == .string("\"\\/\u{08}\u{0C}\n\r\t\0é€😀 é😀"))
    }

    @Test(
        arguments: [
            ("0", .integer(0)), ("-0", .integer(0)), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .double(9_223_372_036_854_775_808)),
            ("-9223372036854775809", .double(-9_223_372_036_854_775_808)),
            ("18446744073709551616", .double(18_446_744_073_709_551_616)), ("1.0", .double(1)), ("1e2", .double(100)),
            ("-1.5E-1", .double(-0.15)),
            ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)), ("5e-324", .double(.leastNonzeroMagnitude)),
            ("1e-400", .double(0)),
        ] as [(String, JSONValue)])
    func `a number is an integer if it looks like one and fits`(text: String, value: JSONValue) throws {
        #expect(try JSON.parse(text) == value)
    }

    @Test(arguments: ["1e400", "-1e400", "1e309", "[1e99999999999]", "{\"a\":1E+999}"])
    func `a number without a finite value is refused`(text: String) {
        #expect(kind(text) == .numberOutOfRange)
    }

    @Test(arguments: [(63, false), (64, false), (65, true), (100 * 1024, true)])
    func `a number has at most 64 characters`(length: Int, isRefused: Bool) {
        #expect((kind(String(repeating: "1", count: length)) == .numberOutOfRange) == isRefused)
        #expect((kind("0." + String(repeating: "0", count: length - 2)) == .numberOutOfRange) == isRefused)
    }

    @Test(arguments: [
        #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, #"{"a":1,"\u0061":2}"#, #"[{"x":{"":0,"":0}}]"#, #"{"😀":1,"\ud83d\ude00":2}"#,
    ])
    func `two members of one name are refused after unescaping`(text: String) {
        #expect(kind(text) == .duplicateMember)
    }

    @Test(arguments: [2, 11, 12, 13, 14, 40])
    func `duplicates are found in small and large objects`(count: Int) throws {
        let members = (0..<count).map { "\"k\($0)\":\($0)" }
        #expect(try JSON.parse("{" + members.joined(separator: ",") + "}").objectValue?.count == count)
        for index in 0..<count {
            #expect(kind("{" + (members + ["\"k\(index)\":0"]).joined(separator: ",") + "}") == .duplicateMember)
        }
    }

    @Test func `names that only look alike are different members`() throws {
        let object = try JSON.parse("{\"e\\u0301\":1,\"\\u00e9\":2,\"K\":3,\"\\u212a\":4}")
        #expect(object["K"] == 3)
        #expect(object["\u{212A}"] == 4)
        #expect(object["\u{e9}"] == 2)
        #expect(object["e\u{301}"] == 1)
    }

    @Test(arguments: [(31, true), (32, true), (33, false)])
    func `nesting ends at 32`(depth: Int, isAccepted: Bool) {
        let arrays = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let objects = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
        #expect(kind(arrays) == (isAccepted ? nil : .depth))
        #expect(kind(objects) == (isAccepted ? nil : .depth))
    }

    @Test func `siblings do not count as depth`() throws {
        let text = "[" + [String](repeating: "[{\"a\":[]}]", count: 100).joined(separator: ",") + "]"
        #expect(try JSON.parse(text, maximumDepth: 4).arrayValue?.count == 100)
        #expect(kind([UInt8](text.utf8), maximumDepth: 3) == .depth)
    }

    @Test func `no caller gets a depth that could exhaust the stack`() {
        let million = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)
        #expect(kind(million) == .depth)
        #expect(kind(million, maximumDepth: .max) == .depth)
        #expect(kind([UInt8](String(repeating: "{\"\":", count: 1 << 18).utf8), maximumDepth: .max) == .depth)
        #expect(kind([UInt8]("[]".utf8), maximumDepth: 0) == .depth)
    }

    @Test func `an object of a million members is read, and its one duplicate found`() throws {
        var text = [UInt8(ascii: "{")]
        for index in 0..<1_000_000 {
            text.append(contentsOf: "\"\(index)\":0,".utf8)
        }
        let duplicate = text + [UInt8]("\"0\":0}".utf8)
        let last = text + [UInt8]("\"x\":0}".utf8)
        #expect(throws: JSONParseError(kind: .duplicateMember, offset: text.count)) {
            try JSON.parse(duplicate, maximumValues: .max)
        }
        #expect(try JSON.parse(last, maximumValues: .max).objectValue?.count == 1_000_001)
        #expect(kind(last) == .tooManyValues)
    }

    @Test(arguments: [(9_999, true), (10_000, true), (10_001, false)])
    func `a document has at most ten thousand values`(count: Int, isAccepted: Bool) {
        let elements = "[" + [String](repeating: "0", count: count).joined(separator: ",") + "]"
        let members = "{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        let nested = "[" + [String](repeating: "[0]", count: count / 2).joined(separator: ",") + (count % 2 == 0 ? "]" : ",0]")
        for text in [elements, members, nested] { #expect(kind(text) == (isAccepted ? nil : .tooManyValues)) }
    }

    private static let document = [UInt8](
        #"{"user":{"email":"é@例え.jp","tags":["a\n\ud83d\ude00",true,false,null],"n":-12.5e+3},"id":[1,{"":{}}]}"#.utf8)

    @Test func `the document of the prefix test is valid`() throws {
        #expect(try JSON.parse(Self.document)["user"]?["email"] == "é@例え.jp")
    }

    @Test(arguments: 0..<document.count)
    func `every prefix is refused`(length: Int) {
        #expect(kind(Array(Self.document.prefix(length))) != nil)
    }

    @Test(arguments: 0..<document.count)
    func `any byte in any place is either accepted or refused`(index: Int) {
        for byte in UInt8.min...UInt8.max {
            var text = Self.document
            text[index] = byte
            guard let value = try? JSON.parse(text) else { continue }
            #expect((try? JSON.parse(value.serialized)) == value)
        }
    }

    @Test(arguments: [
        ("", JSONParseError(kind: .unexpectedEnd, offset: 0)), ("[1,", JSONParseError(kind: .unexpectedEnd, offset: 3)),
        ("[1 2]", JSONParseError(kind: .syntax, offset: 3)), ("{} x", JSONParseError(kind: .trailingBytes, offset: 3)),
        ("{\"a\":1,\"a\":2}", JSONParseError(kind: .duplicateMember, offset: 7)),
        ("[\"ab\\ud800\"]", JSONParseError(kind: .loneSurrogate, offset: 4)),
        ("[0,1e999]", JSONParseError(kind: .numberOutOfRange, offset: 3)),
        ("[[[", JSONParseError(kind: .unexpectedEnd, offset: 3)),
        ("tru", JSONParseError(kind: .unexpectedEnd, offset: 3)), ("trux", JSONParseError(kind: .syntax, offset: 3)),
    ])
    func `an error says what and where`(text: String, expected: JSONParseError) {
        #expect(throws: expected) { try JSON.parse(text) }
    }

    @Test func `an error shows nothing of the text`() {
        let error = #expect(throws: JSONParseError.self) { try JSON.parse("{\"hunter2\":1,\"hunter2\":\"hunter2\"}") }
        #expect(!"\(String(reflecting: error))".contains("hunter2"))
    }

    @Test func `a slice is read like a whole`() throws {
        let bytes = [UInt8]("xx[1]yy".utf8)
        #expect(try JSON.parse(bytes[2..<5]) == [1])
    }
}
