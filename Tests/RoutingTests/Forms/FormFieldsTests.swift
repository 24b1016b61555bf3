import Routing
import Testing
import Text

@Suite struct FormFieldsTests {
    private func fields(_ text: String) throws(FormError) -> FormFields {
        try FormFields(parsing: [UInt8](text.utf8))
    }

    @Test func `an introspection request has its two fields`() throws {
        let token = String(repeating: "eyJhbGciOi.J-_", count: 50)
        let form = try fields("token=\(token)&token_type_hint=access_token")
        #expect(form.names == ["token", "token_type_hint"])
        #expect(form.value("token") == token)
        #expect(form.secret("token")?.revealedText == token)
        #expect(form.value("token_type_hint") == "access_token")
        #expect(form.value("Token") == nil)
        #expect(form.value("toke") == nil)
    }

    @Test(arguments: [
        ("", [], []), ("a", ["a"], [""]), ("a=", ["a"], [""]), ("a=b", ["a"], ["b"]), ("a=b&", ["a"], ["b"]),
        ("&a=b", ["a"], ["b"]),
        ("&&", [], []), ("a=b&&c", ["a", "c"], ["b", ""]), ("a=b=c", ["a"], ["b=c"]), ("a==", ["a"], ["="]),
        ("a&b&c", ["a", "b", "c"], ["", "", ""]),
        ("a=b+c", ["a"], ["b c"]), ("a+b=c", ["a b"], ["c"]), ("a%3Db=c%26d", ["a=b"], ["c&d"]), ("a=%C3%A9", ["a"], ["é"]),
        ("a=b&c=%2B", ["a", "c"], ["b", "+"]), ("a=%0d%0A", ["a"], ["\r\n"]), ("a=<>\"{}", ["a"], ["<>\"{}"]),
        ("a=%41&&b", ["a", "b"], ["A", ""]),
    ])
    func `fields are split and decoded in their order`(text: String, names: [String], values: [String]) throws {
        let form = try fields(text)
        #expect(form.names == names)
        #expect(form.count == names.count)
        for (name, value) in zip(names, values) where name == "a" {
            #expect(form.value("a") == value)
        }
        if let last = values.last, names.last == "c" {
            #expect(form.value("c") == last)
        }
    }

    @Test(arguments: [
        "=b", "a&=b", "=", "+=%", "a=%", "a=%4", "a=%zz", "%=a", "a=b c", " a=b", "a=b\r\n", "a=b\n", "a=\t", "a=\u{0}", "a=%00",
        "a=é",
        "a=\u{7f}", "a=%C3", "%FF=a", "a=%C0%80", "a=b&%00=c", "a=%41\u{1}", "%3D&=b",
    ])
    func `anything else is malformed`(text: String) {
        #expect(throws: FormError.malformed) { try fields(text) }
    }

    /// Longer than all the steps in which a form is passed over.
    private static let long = String(repeating: "efghijklmn", count: 8)

    @Test func `any raw byte but visible ASCII is malformed, at every place of a word`() {
        for byte in UInt8.min...UInt8.max where !(0x21...0x7e).contains(byte) {
            for place in 0..<(5 + Self.long.utf8.count) {
                var body = [UInt8]("abcd=\(Self.long)".utf8)
                body[place] = byte
                #expect(throws: FormError.malformed) { try FormFields(parsing: body) }
                #expect(throws: FormError.malformed) { try FormFields(parsing: body + [UInt8]("%41".utf8)) }
            }
        }
    }

    @Test func `any visible byte stands for itself, at every place of a word`() throws {
        for byte: UInt8 in 0x21...0x7e where !"&=%+".utf8.contains(byte) {
            for place in 0..<Self.long.utf8.count {
                var value = [UInt8](Self.long.utf8)
                value[place] = byte
                #expect(
                    try FormFields(parsing: [UInt8]("abc=".utf8) + value).value("abc") == String(decoding: value, as: UTF8.self))
            }
        }
    }

    @Test func `delimiters and escapes are seen at every place of a word`() throws {
        for place in 0..<100 {
            let (before, after) = (String(repeating: "x", count: place), String(repeating: "y", count: 100 - place))
            #expect(try fields("a=\(before)+\(after)").value("a") == "\(before) \(after)")
            #expect(try fields("a=\(before)%2B\(after)").value("a") == "\(before)+\(after)")
            #expect(try fields("a=\(before)=\(after)").value("a") == "\(before)=\(after)")
            let two = try fields("a=\(before)&b=\(after)")
            #expect(two.value("a") == before)
            #expect(two.value("b") == after)
        }
    }

    @Test(arguments: [("a=1&a=2", "a"), ("a=1&b=2&a", "a"), ("a&a", "a"), ("%61=1&a=2", "a"), ("x=1&a+b=1&a%20b=1", "a b")])
    func `a name that comes twice is refused, however it is written`(text: String, name: String) {
        #expect(throws: FormError.repeatedField(name)) { try fields(text) }
    }

    @Test(arguments: ["a=0&tags[]=1&tags[]=2&b=3", "a=0&tags%5B%5D=1&tags[]=2&b=3"])
    func `a list may repeat its name where lists are known`(text: String) throws {
        let form = try FormFields(parsing: [UInt8](text.utf8), repeatsLists: true)
        #expect(form.names == ["a", "tags[]", "tags[]", "b"])
        #expect(form.value("b") == "3")
        #expect(throws: FormError.repeatedField("tags[]")) { try fields(text) }
    }

    @Test(arguments: ["a=1&a=2", "a[]=1&b=2&b=3", "]=1&]=2", "a[b]=1&a[b]=2"])
    func `what is no list may not, also there`(text: String) {
        #expect(throws: FormError.self) { try FormFields(parsing: [UInt8](text.utf8), repeatsLists: true) }
    }

    @Test(arguments: [-1, 0, 1], ["", "%41"]) func `a form may have 100 fields`(offset: Int, value: String) throws {
        let text = (0..<100 + offset).map { "f\($0)=\(value)" }.joined(separator: "&")
        guard offset > 0 else {
            #expect(try fields(text).count == 100 + offset)
            return
        }
        #expect(throws: FormError.tooManyFields) { try fields(text) }
    }

    @Test func `a form prints no value`() throws {
        let form = try fields("password=hunter2")
        var dumped = ""
        dump(form, to: &dumped)
        for text in ["\(form)", String(reflecting: form), dumped] {
            #expect(!text.contains("hunter2"))
        }
    }

    @Test func `a long run of combining marks is refused in names and values, by lenient forms too`() {
        let marks = "a" + String(repeating: "%CC%95%CC%81", count: 16)
        for text in ["\(marks)=1", "a=\(marks)"] {
            #expect(throws: FormError.malformed) { try fields(text) }
            #expect(throws: FormError.malformed) { try LenientForm(urlEncoded: [UInt8](text.utf8)) }
        }
    }
}
