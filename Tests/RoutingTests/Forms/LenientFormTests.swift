import Testing
@testable import Routing

@Suite struct LenientFormTests {
    @Test(arguments: [
        ("a=1&b=2", "a", "1"), ("a=1&a=2", "a", "2"), ("a", "a", ""), ("=x&a=%41%zz%4", "a", "A%zz%4"), ("a=+%2B+", "a", " + "),
        ("a=b=c", "a", "b=c"), ("a=p%C3%A4", "a", "pä"), ("a=\u{e4}", "a", "ä"), ("a=%FF", "a", "\u{FFFD}"), ("&&a=1&", "a", "1"),
    ])
    func `a form is read as Django reads it`(_ body: String, _ name: String, _ value: String) throws {
        #expect(try LenientForm(urlEncoded: Array(body.utf8)).value(name) == value)
    }

    @Test func `what is not there has no value`() throws {
        let form = try LenientForm(urlEncoded: Array("a=1".utf8))
        #expect(form.value("b") == nil)
        #expect(!form.has("b"))
        #expect(form.has("a"))
    }

    @Test func `no more than a hundred fields are read`() throws {
        func body(_ count: Int) -> [UInt8] { Array((0..<count).map { "f\($0)=1" }.joined(separator: "&").utf8) }
        #expect(try LenientForm(urlEncoded: body(100)).value("f99") == "1")
        #expect(throws: FormError.tooManyFields) { try LenientForm(urlEncoded: body(102)) }
    }

    private static func part(_ disposition: String, _ content: String) -> String {
        "--b\r\nContent-Disposition: form-data; \(disposition)\r\n\r\n\(content)\r\n"
    }

    @Test func `multipart fields are read byte by byte`() throws {
        let body =
            "preamble\r\n" + Self.part("name=\"a\"", "1\r\n--not\r\n%41+") + Self.part("name=b", "")
            + Self.part("name=\"file\"; filename=\"x\"", "secret") + Self.part("NAME=\"ä\"", "パ") + "--b--\r\nepilogue"
        let form = try LenientForm(multipart: Array(body.utf8), boundary: "b")
        #expect(form.value("a") == "1\r\n--not\r\n%41+")
        #expect(form.value("b") == "")
        #expect(form.value("file") == nil)
        #expect(form.value("ä") == "パ")
    }

    @Test func `every beginning of a multipart body is refused or read, and nothing else happens`() {
        let body = Array((Self.part("name=\"a\"", "1") + Self.part("name=\"b\"", "2") + "--b--").utf8)
        for length in 0..<body.count {
            let form = try? LenientForm(multipart: Array(body[..<length]), boundary: "b")
            #expect(form == nil)
        }
        #expect((try? LenientForm(multipart: body, boundary: "b"))?.value("b") == "2")
    }

    @Test(arguments: ["", "--b", "--b--", "--b\r\n\r\n1\r\n--b--", "--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--"])
    func `a part without a name is none`(_ body: String) {
        let fields = try? LenientForm(multipart: Array(body.utf8), boundary: "b")
        #expect(fields == nil || body == "--b--")
    }

    @Test(
        arguments: [
            ("multipart/form-data; boundary=abc", "abc"), ("Multipart/Form-Data; charset=utf-8; boundary=\"a b\"", "a b"),
            ("multipart/form-data", nil), ("multipart/form-data; boundary=", nil), ("multipart/mixed; boundary=x", nil),
            ("application/json; boundary=x", nil),
        ] as [(String, String?)])
    func `the boundary is that of the content type`(_ type: String, _ boundary: String?) throws {
        #expect(ContentType.multipartBoundary(of: try parsedHead(fields: ["Content-Type: \(type)"])) == boundary)
    }
}
