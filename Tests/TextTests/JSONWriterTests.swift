import Testing
import Text

@Suite struct JSONWriterTests {
    private func text(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `commas are put where they belong`() {
        let result = text { writer in
            writer.beginObject()
            writer.member("a", 1)
            writer.key("b")
            writer.beginArray()
            writer.string("x")
            writer.beginObject()
            writer.endObject()
            writer.beginArray()
            writer.endArray()
            writer.null()
            writer.raw([UInt8]("{\"r\":1}".utf8))
            writer.bool(false)
            writer.endArray()
            writer.member("c", true)
            writer.endObject()
        }
        #expect(result == #"{"a":1,"b":["x",{},[],null,{"r":1},false],"c":true}"#)
    }

    @Test func `a member takes each kind of value`() throws {
        let id = try #require(UUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"))
        let result = text { writer in
            writer.beginObject()
            writer.member("s", "é")
            writer.member("i", -5)
            writer.member("w", Int64.min)
            writer.member("d", 0.5)
            writer.member("t", Timestamp(milliseconds: 0))
            writer.member("u", id)
            writer.member("l", ["a", "b"])
            writer.member("v", JSONValue.array([1, nil]))
            writer.member("o", JSONObject([JSONObject.Member(key: "k", value: 1)]))
            writer.member("n", orNull: String?.none)
            writer.member("p", orNull: "p")
            writer.member("q", orNull: Timestamp?.none)
            writer.member("r", raw: [UInt8]("[0]".utf8))
            writer.endObject()
        }
        let scalars = #"{"s":"é","i":-5,"w":-9223372036854775808,"d":0.5,"t":"1970-01-01T00:00:00.000Z","#
        let others =
            #""u":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6","l":["a","b"],"v":[1,null],"o":{"k":1},"n":null,"p":"p","q":null,"r":[0]}"#
        #expect(result == scalars + others)
    }

    @Test(arguments: [
        ("", #""""#), ("plain é 😀", #""plain é 😀""#), ("\"", #""\"""#), ("\\", #""\\""#), ("/", #""/""#),
        ("\u{08}\t\n\u{0C}\r", #""\b\t\n\f\r""#),
        ("\0\u{01}\u{1B}\u{1F}", #""\u0000\u0001\u001b\u001f""#), ("\u{7F}\u{2028}", "\"\u{7F}\u{2028}\""),
        ("a\r\nb", #""a\r\nb""#),
    ])
    func `a string is escaped as RFC 8259 §7 demands and no more`(string: String, expected: String) {
        #expect(text { $0.string(string) } == expected)
    }

    @Test(arguments: [
        ("\u{7F}", #""\u007f""#), ("\u{85}\u{9B}", #""\u0085\u009b""#), ("\u{2028}\u{2029}", #""\u2028\u2029""#),
        ("\u{202E}", #""\u202e""#),
        ("\u{FEFF}", #""\ufeff""#), ("\u{1B}[31m", #""\u001b[31m""#), ("é例😀", #""é例😀""#),
        ("\u{200F}\u{2066}", #""\u200f\u2066""#),
    ])
    func `readable escaping leaves nothing that deceives a reader`(string: String, expected: String) throws {
        var writer = JSONWriter(escaping: .readable)
        writer.string(string)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
        #expect(try JSON.parse(writer.bytes) == .string(string))
    }

    @Test(arguments: [JSONEscaping.required, .readable])
    func `what needs an escape is found at each place`(escaping: JSONEscaping) {
        func escaped(_ text: String) -> String {
            var bytes: [UInt8] = []
            bytes.append(escaping: text, escaping)
            return String(decoding: bytes, as: UTF8.self)
        }
        for code in UInt8(0)..<0x80 {
            let character = String(UnicodeScalar(code))
            for before in 0..<18 {
                let (head, tail) = (String(repeating: "a", count: before), String(repeating: "z", count: 17 - before))
                #expect(escaped(head + character + tail) == head + escaped(character) + tail)
            }
        }
    }

    @Test func `every scalar of the basic plane survives in both manners`() throws {
        var all = ""
        // A letter now and then, since no text has so many marks in a row.
        for code in UInt32(0)...0xFFFF {
            if let scalar = Unicode.Scalar(code) { all.unicodeScalars.append(scalar) }
            if code % 16 == 0 { all.unicodeScalars.append("a") }
        }
        for escaping in [JSONEscaping.required, .readable] {
            var writer = JSONWriter(escaping: escaping)
            writer.string(all)
            #expect(try JSON.parse(writer.bytes).stringValue.map { Array($0.unicodeScalars) } == Array(all.unicodeScalars))
        }
    }

    @Test(arguments: [0, 9, 10, -10, 99, 1_000_000, .max, .min] as [Int64])
    func `integers are written in decimal`(value: Int64) {
        #expect(text { $0.integer(value) } == String(value))
    }

    @Test func `doubles are written so that they read back the same, and as null when there is no number`() throws {
        for value in [0.1, -0.0, 1e300, .leastNonzeroMagnitude, 1.0 / 3, 123_456_789.25] {
            #expect(try JSON.parse(text { $0.double(value) }).doubleValue == value)
        }
        #expect(text { $0.double(.nan) } == "null")
        #expect(text { $0.double(-.infinity) } == "null")
    }

    @Test func `a string cut from another is written like any`() {
        let substring = String("xé\"y".dropFirst())
        #expect(text { $0.string(substring) } == #""é\"y""#)
    }
}
