import Testing
@testable import Routing

@Suite struct ContentTypeTests {
    @Test(
        arguments: [
            ("application/json", .json), ("Application/JSON", .json), ("application/json;charset=utf-8", .json),
            ("application/json; charset=utf8", .json),
            ("application/json; charset=UTF-8", .json), ("application/json ; charset=\"utf-8\" ", .json),
            ("application/json; a=b; charset=utf-8", .json), ("application/json;", .json), ("application/json; ;", .json),
            ("application/json; a=\"x;charset=utf-16\"", .json), ("application/x-www-form-urlencoded", .form),
            ("application/x-www-form-urlencoded; charset=utf-8", .form),
            ("application/json; charset=utf-16", .unsupported), ("application/json; charset=latin1", .unsupported),
            ("application/json; charset=utf", .unsupported),
            ("application/json; charset=", .unsupported), ("application/json; charset", .unsupported),
            ("application/json; charset=utf-8; charset=utf-8", .unsupported), ("application/json; a=\"b", .unsupported),
            ("application/json; a b=c", .unsupported), ("application/json; =c", .unsupported),
            ("application/json charset=utf-8", .unsupported),
            ("application/json, text/html", .unsupported), ("application/json5", .unsupported), ("application", .unsupported),
            ("text/plain", .unsupported), ("multipart/form-data; boundary=x", .multipart), ("multipart/form-data", .unsupported),
            ("", .unsupported),
        ] as [(String, ContentType)])
    func `a content type is recognised with its encoding`(value: String, expected: ContentType) throws {
        #expect(ContentType(of: try parsedHead(fields: ["Content-Type: \(value)"])) == expected)
    }

    @Test func `without the field the type is absent`() throws {
        #expect(ContentType(of: try parsedHead(fields: [])) == .absent)
    }
}

@Suite struct AcceptedContentTests {
    private static let json = "Content-Type: application/json"
    private static let form = "Content-Type: application/x-www-form-urlencoded"

    @Test(
        arguments: [
            (.none, [json], true), (.none, [], true), (.none, ["Content-Type: x"], true),
            (.none, ["Content-Encoding: gzip"], true),
            (.json, [json], true), (.json, [form], false), (.json, [], false), (.json, ["Content-Type: text/plain"], false),
            (.form, [form], true), (.form, [json], false), (.form, [], false),
            (.jsonOrForm, [json], true), (.jsonOrForm, [form], true), (.jsonOrForm, [], false),
            (.jsonOrForm, ["Content-Type: multipart/form-data"], false),
            (.json, [json, "Content-Encoding: identity"], true), (.json, [json, "Content-Encoding: Identity"], true),
            (.json, [json, "Content-Encoding: gzip"], false), (.json, [json, "Content-Encoding: "], false),
            (.json, [json, "Content-Encoding: identity", "Content-Encoding: gzip"], false),
            (.json, [json, "Content-Encoding: identity, gzip"], false),
            (.any, [json], true), (.any, [form], true), (.any, [], true), (.any, ["Content-Type: text/plain"], true),
            (.any, ["Content-Encoding: identity"], true), (.any, [json, "Content-Encoding: gzip"], false),
        ] as [(AcceptedContent, [String], Bool)])
    func `a route takes the bodies it reads and no others`(accepted: AcceptedContent, fields: [String], expected: Bool) throws {
        #expect(accepted.accepts(try parsedHead(fields: fields + ["Content-Length: 2"])) == expected)
        #expect(accepted.accepts(try parsedHead(fields: fields + ["Transfer-Encoding: chunked"])) == expected)
    }

    @Test(arguments: [[], [form], ["Content-Type: x"], ["Content-Encoding: gzip"], ["Content-Length: 0"]])
    func `without a body there is nothing to refuse`(fields: [String]) throws {
        #expect(AcceptedContent.json.accepts(try parsedHead(fields: fields)))
    }
}
