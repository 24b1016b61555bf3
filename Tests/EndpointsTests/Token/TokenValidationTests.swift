import TestSupport
import Testing
import Text

/// The 422s of FastAPI, byte for byte but for `input`.
@Suite(.needsServers, .installation())
struct TokenValidationTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private static let secret = "kT9!never-shown-again"

    private static func missing(_ field: String) -> String {
        #"{"type":"missing","loc":["body","\#(field)"],"msg":"Field required"}"#
    }

    private static func notAString(_ field: String) -> String {
        #"{"type":"string_type","loc":["body","\#(field)"],"msg":"Input should be a valid string"}"#
    }

    private static let noBody = #"{"type":"missing","loc":["body"],"msg":"Field required"}"#

    private static let notAnObject =
        #"{"type":"model_attributes_type","loc":["body"],"#
        + #""msg":"Input should be a valid dictionary or object to extract fields from"}"#

    private static func malformed(_ offset: Int, _ reason: String) -> String {
        #"{"type":"json_invalid","loc":["body",\#(offset)],"msg":"JSON decode error","ctx":{"error":"\#(reason)"}}"#
    }

    private func expectRefused(
        _ response: TestHTTPResponse, _ items: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == 422, sourceLocation: sourceLocation)
        #expect(response.text == #"{"detail":[\#(items.joined(separator: ","))]}"#, sourceLocation: sourceLocation)
        #expect(response.value("Content-Type") == "application/json", sourceLocation: sourceLocation)
        #expect(!response.text.contains(Self.secret), sourceLocation: sourceLocation)
    }

    private func post(_ body: String?, type: String? = "application/json") async throws -> TestHTTPResponse {
        try await server.send("POST", "/auth/token", type.map { [("Content-Type", $0)] } ?? [], body: body)
    }

    @Test func `without a body the body is missing`() async throws {
        expectRefused(try await post(nil), Self.noBody)
        expectRefused(try await post(nil, type: nil), Self.noBody)
        expectRefused(try await post(""), Self.noBody)
        expectRefused(try await post("null"), Self.noBody)
    }

    @Test func `each missing field is an item, in the order of the model`() async throws {
        expectRefused(try await post("{}"), Self.missing("email_address"), Self.missing("password"))
        expectRefused(try await post(#"{"password":"\#(Self.secret)"}"#), Self.missing("email_address"))
        expectRefused(try await post(#"{"email_address":"a@example.com"}"#), Self.missing("password"))
        expectRefused(
            try await post(#"{"email":"a@example.com","password":"\#(Self.secret)"}"#), Self.missing("email_address"))
    }

    @Test(arguments: ["1", "1.5", "true", "null", "[]", "{}", #"["a"]"#, #"{"$ne":""}"#])
    func `a field that is no text is an item`(_ value: String) async throws {
        expectRefused(
            try await post(#"{"email_address":\#(value),"password":"\#(Self.secret)"}"#), Self.notAString("email_address"))
        expectRefused(
            try await post(#"{"email_address":"a@example.com","password":\#(value)}"#), Self.notAString("password"))
        expectRefused(try await post(#"{"email_address":\#(value)}"#), Self.notAString("email_address"), Self.missing("password"))
    }

    @Test(arguments: ["[]", #"["kT9!never-shown-again"]"#, "1", "true", #""kT9!never-shown-again""#])
    func `a body that is no object is one item`(_ body: String) async throws {
        expectRefused(try await post(body), Self.notAnObject)
    }

    @Test(arguments: [
        "application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=utf-8", "text/plain",
        "multipart/form-data; boundary=x", "json", "text/json", "application/jsonx", "application/x; a=application/json",
    ])
    func `a form is no object either`(_ type: String) async throws {
        let form = "email_address=a%40example.com&password=\(Self.secret)"
        expectRefused(try await post(form, type: type), Self.notAnObject)
    }

    @Test(arguments: [
        ("{", 1, "Expecting property name enclosed in double quotes"),
        ("{'a':1}", 1, "Expecting property name enclosed in double quotes"),
        (#"{"password":"kT9!never-shown-again""#, 35, "Expecting ',' delimiter"),
        (#"{"password" 1}"#, 12, "Expecting ':' delimiter"),
        (#"{"password":}"#, 12, "Expecting value"), ("x", 0, "Expecting value"), (" ", 1, "Expecting value"),
        ("{} x", 3, "Extra data"), (#"{"é":"🙂" x}"#, 9, "Expecting ',' delimiter"),
        (#"{"a":"b"#, 5, "Unterminated string starting at"),
        ("{\"a\":\"b\n\"}", 7, "Invalid control character at"), (#"{"a":"\x"}"#, 6, #"Invalid \\escape"#),
        (#"{"a":"\u12"}"#, 7, #"Invalid \\uXXXX escape"#), (#"{"a":1,}"#, 7, "Expecting property name enclosed in double quotes"),
        ("[1,]", 3, "Expecting value"), ("[1 2]", 3, "Expecting ',' delimiter"), ("01", 1, "Extra data"),
        ("-", 0, "Expecting value"),
    ])
    func `malformed JSON is told as Python tells it`(_ body: String, _ offset: Int, _ reason: String) async throws {
        expectRefused(try await post(body), Self.malformed(offset, reason))
    }

    @Test(arguments: [
        (#"{"password":"kT9!never-shown-again","password":"b"}"#, 36, "Duplicate property name"),
        (String(repeating: "[", count: 100), 32, "Document too complex"),
    ])
    func `JSON that only we refuse is told alike`(_ body: String, _ offset: Int, _ reason: String) async throws {
        let response = try await post(body)
        #expect(response.status == 422)
        #expect(response.json["detail"]?[0]?["type"] == "json_invalid")
        #expect(!response.text.contains(Self.secret))
    }

    @Test func `a body that is no text is refused in one sentence`() async throws {
        let request = TestHTTPRequest.json("POST", "/auth/token", [0x7B, 0x22, 0xFF, 0x22, 0x7D])
        let response = try await server.send(request)
        #expect(response.status == 400)
        #expect(response.text == #"{"detail":"There was an error parsing the body"}"#)
    }
}
