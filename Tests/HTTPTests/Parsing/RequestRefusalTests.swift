import Testing

@testable import HTTP

/// A stretch of a request and what it must be refused for.
struct Refusal: CustomTestStringConvertible, Sendable {
    let text: String
    let error: HTTPParseError

    init(_ text: String, _ error: HTTPParseError) {
        self.text = text
        self.error = error
    }

    var testDescription: String {
        String(text.debugDescription.prefix(100))
    }
}

/// Malformed requests, one mistake each: refused whole or cut anywhere, with the same error, and no request comes out.
@Suite struct RequestRefusalTests {
    static let requestLines = [
        Refusal("GET /", .malformedRequestLine),
        Refusal("GET", .malformedRequestLine),
        Refusal("GET / ", .malformedRequestLine),
        Refusal("GET  / HTTP/1.1", .malformedRequestLine),
        Refusal("GET / HTTP/1.1 ", .malformedRequestLine),
        Refusal("GET /  HTTP/1.1", .malformedRequestLine),
        Refusal("GET /a b HTTP/1.1", .malformedRequestLine),
        Refusal("GET\t/ HTTP/1.1", .malformedRequestLine),
        Refusal("GET /\tHTTP/1.1", .malformedRequestLine),
        Refusal("GET /a\u{0}b HTTP/1.1", .malformedRequestLine),
        Refusal("GET /\u{7f} HTTP/1.1", .malformedRequestLine),
        Refusal("GET /é HTTP/1.1", .malformedRequestLine),
        Refusal("GET / HTTP/1.1\u{b}", .malformedRequestLine),
        Refusal("GET / http/1.1", .malformedRequestLine),
        Refusal("GET / HTTP/1.1x", .malformedRequestLine),
        Refusal("GET / HTTP/11", .malformedRequestLine),
        Refusal("GET / HTTP/1,1", .malformedRequestLine),
        Refusal("GET / HTTP/1.10", .malformedRequestLine),
        Refusal("GET / HTTP/01.1", .malformedRequestLine),
        Refusal("GET / HTTP/+1.1", .malformedRequestLine),
        Refusal("GET / HTTP/-1.1", .malformedRequestLine),
        Refusal("GET / HTTP/1.", .malformedRequestLine),
        Refusal("GET / HTTP/", .malformedRequestLine),
        Refusal("GET / XTTP/1.1", .malformedRequestLine),
        Refusal("GET / HTTP/1.2", .unsupportedVersion),
        Refusal("GET / HTTP/0.9", .unsupportedVersion),
        Refusal("GET / HTTP/9.9", .unsupportedVersion),
        Refusal("GET / HTTP/2.0", .unsupportedVersion),
        Refusal("PRI * HTTP/2.0", .unsupportedVersion),
        Refusal("get / HTTP/1.1", .malformedMethod),
        Refusal("Get / HTTP/1.1", .malformedMethod),
        Refusal(" GET / HTTP/1.1", .malformedMethod),
        Refusal("G@T / HTTP/1.1", .malformedMethod),
        Refusal("GET: / HTTP/1.1", .malformedMethod),
        Refusal("G\"ET / HTTP/1.1", .malformedMethod),
        Refusal(String(repeating: "A", count: 33) + " / HTTP/1.1", .malformedMethod),
        Refusal("GET /a#b HTTP/1.1", .malformedTarget),
        Refusal("GET /a?b#c HTTP/1.1", .malformedTarget),
        Refusal("GET /a\\b HTTP/1.1", .malformedTarget),
        Refusal("GET /a<b HTTP/1.1", .malformedTarget),
        Refusal("GET /a?\" HTTP/1.1", .malformedTarget),
        Refusal("GET a HTTP/1.1", .malformedTarget),
        Refusal("GET ?a HTTP/1.1", .malformedTarget),
        Refusal("GET * HTTP/1.1", .malformedTarget),
        Refusal("OPTIONS ** HTTP/1.1", .malformedTarget),
        Refusal("GET a:80 HTTP/1.1", .malformedTarget),
        Refusal("GET ftp://a/ HTTP/1.1", .malformedTarget),
        Refusal("GET http:/a HTTP/1.1", .malformedTarget),
        Refusal("GET http:// HTTP/1.1", .malformedTarget),
        Refusal("GET http:///a HTTP/1.1", .malformedTarget),
        Refusal("GET http://u@a/ HTTP/1.1", .malformedTarget),
        Refusal("GET http://a:0000000080/ HTTP/1.1", .malformedTarget),
        Refusal("GET http://a:99999/ HTTP/1.1", .malformedTarget),
        Refusal("GET http://a#b HTTP/1.1", .malformedTarget),
        Refusal("GET http://b/ HTTP/1.1", .mismatchedAuthority),
        Refusal("GET http://a:80/ HTTP/1.1", .mismatchedAuthority),
        Refusal("GET http://b?c HTTP/1.1", .mismatchedAuthority),
        Refusal("CONNECT a:80 HTTP/1.1", .connectMethod),
        Refusal("CONNECT / HTTP/1.1", .connectMethod),
    ]

    @Test(arguments: requestLines) func `a malformed request line is refused`(refusal: Refusal) {
        expectRefusal(of: [UInt8]((refusal.text + "\r\nHost: a\r\n\r\n").utf8), refusal.error)
    }

    static let fieldLines = [
        Refusal("", .missingHost),
        Refusal("Host: a\r\nHost: a\r\n", .repeatedField),
        Refusal("Host: a\r\nhost: b\r\n", .repeatedField),
        Refusal("Host:\r\n", .malformedHost),
        Refusal("Host: a b\r\n", .malformedHost),
        Refusal("Host: a, b\r\n", .malformedHost),
        Refusal("Host: a/b\r\n", .malformedHost),
        Refusal("Host: a@b\r\n", .malformedHost),
        Refusal("Host: a:\r\n", .malformedHost),
        Refusal("Host: :80\r\n", .malformedHost),
        Refusal("Host: a:0\r\n", .malformedHost),
        Refusal("Host: a:65536\r\n", .malformedHost),
        Refusal("Host: a:000080\r\n", .malformedHost),
        Refusal("Host: a:4294967376\r\n", .malformedHost),
        Refusal("Host: a:-1\r\n", .malformedHost),
        Refusal("Host: a:8o\r\n", .malformedHost),
        Refusal("Host: a:80:80\r\n", .malformedHost),
        Refusal("Host: [::1\r\n", .malformedHost),
        Refusal("Host: [::1]a\r\n", .malformedHost),
        Refusal("Host: [a]\r\n", .malformedHost),
        Refusal("Host: [::1%25eth0]\r\n", .malformedHost),
        Refusal("Host: ::1\r\n", .malformedHost),
        Refusal("Host: a%00\r\n", .malformedHost),
        Refusal("Host: http://a\r\n", .malformedHost),
        Refusal("Host: " + String(repeating: "a", count: 256) + "\r\n", .malformedHost),
        Refusal("Host : a\r\n", .malformedFieldName),
        Refusal(" Host: a\r\n", .malformedFieldName),
        Refusal("\tHost: a\r\n", .malformedFieldName),
        Refusal("Host: a\r\n b\r\n", .malformedFieldName),
        Refusal("Host: a\r\n\tb\r\n", .malformedFieldName),
        Refusal("Host: a\r\n \r\n", .malformedFieldName),
        Refusal("Host: a\r\n: b\r\n", .malformedFieldName),
        Refusal("Host: a\r\nx\r\n", .malformedFieldName),
        Refusal("Host: a\r\nx y: z\r\n", .malformedFieldName),
        Refusal("Host: a\r\n\"x\": z\r\n", .malformedFieldName),
        Refusal("Host: a\r\nx\u{0}: z\r\n", .malformedFieldValue),
        Refusal("Host: a\r\nx: \u{0}\r\n", .malformedFieldValue),
        Refusal("Host: a\r\nx: \u{7f}\r\n", .malformedFieldValue),
        Refusal("Host: a\r\nx: \u{85}\r\n", .malformedFieldValue),
        Refusal("Host: a\r\nx: \u{a0}\r\n", .malformedFieldValue),
        Refusal("Host: a\r\né: x\r\n", .malformedFieldValue),
        Refusal("Host: a\nX: b\r\n", .malformedLineEnding),
        Refusal("Host: a\rX: b\r\n", .malformedLineEnding),
        Refusal("Host: a\r\r\n", .malformedLineEnding),
        Refusal("Host: a\r\n\n", .malformedLineEnding),
        Refusal("Host: a\r\n\r", .malformedLineEnding),
        Refusal("Host: a\r\nContent-Type: a/b\r\nContent-Type: a/b\r\n", .repeatedField),
        Refusal("Host: a\r\nExpect: 200-ok\r\n", .unsupportedExpectation),
        Refusal("Host: a\r\nExpect:\r\n", .unsupportedExpectation),
        Refusal("Host: a\r\nExpect: 100-continue, x\r\n", .unsupportedExpectation),
        Refusal("Host: a\r\nExpect: 100-continue\r\nExpect: 100-continue\r\n", .unsupportedExpectation),
        Refusal("Host: a\r\nConnection: a b\r\n", .malformedConnection),
        Refusal("Host: a\r\nConnection: close;\r\n", .malformedConnection),
        Refusal("Host: a\r\nConnection: x\r\nConnection: \"close\"\r\n", .malformedConnection),
    ]

    @Test(arguments: fieldLines) func `malformed fields are refused`(refusal: Refusal) {
        expectRefusal(of: [UInt8](("GET / HTTP/1.1\r\n" + refusal.text + "\r\n").utf8), refusal.error)
    }

    @Test func `any byte but visible ASCII, space and tab is refused in a value, and any but a token in a name`() {
        for byte in UInt8.min...UInt8.max {
            let text = byte == 0x09 || (0x20...0x7e).contains(byte)
            expectOutcome(line: [UInt8]("x: a".utf8) + [byte] + [0x62], accepted: text, byte)
            let token = ByteClass.token.contains(byte)
            expectOutcome(line: [UInt8]("x".utf8) + [byte] + [UInt8]("y: a".utf8), accepted: token || byte == 0x3a, byte)
        }
    }

    @Test func `two single bytes of UTF-8 or Latin-1 are refused in a value`() {
        for byte: UInt8 in [0x80, 0x85, 0xa0, 0xc0, 0xff] {
            expectOutcome(line: [UInt8]("x:".utf8) + [byte, byte], accepted: false, byte)
        }
    }

    private func expectOutcome(line: [UInt8], accepted: Bool, _ byte: UInt8) {
        let request = [UInt8]("GET / HTTP/1.1\r\nHost: a\r\n".utf8) + line + [UInt8]("\r\n\r\n".utf8)
        let conversation = Conversation(request)
        #expect(conversation.requests.count == (accepted ? 1 : 0), "byte \(byte)")
        #expect((conversation.error?.status == .badRequest) == !accepted, "byte \(byte)")
    }

    /// Refused at once, at every cut, and byte for byte.
    private func expectRefusal(of bytes: [UInt8], _ error: HTTPParseError) {
        for cuts in [[]] + bytes.indices.map({ [$0] }) + [Array(bytes.indices)] {
            let conversation = Conversation(bytes, cuts: cuts)
            #expect(conversation.error == error, "cut at \(cuts)")
            #expect(conversation.requests.isEmpty, "cut at \(cuts)")
        }
    }
}

@Suite struct HTTPParseErrorTests {
    @Test(arguments: HTTPParseError.allCases) func `every refusal has a client error or an unsupported feature as its status`(
        error: HTTPParseError
    ) {
        #expect([400, 405, 413, 414, 417, 431, 501, 505].contains(error.status.code))
        #expect(!error.reason.description.isEmpty)
    }

    @Test func `the statuses with a meaning of their own are these`() {
        let others = HTTPParseError.allCases.filter { $0.status != .badRequest }
        let codes = Dictionary(uniqueKeysWithValues: others.map { ($0, $0.status.code) })
        #expect(
            codes == [
                .connectMethod: 405, .bodyTooLarge: 413, .requestLineTooLong: 414, .unsupportedExpectation: 417,
                .headerSectionTooLarge: 431, .tooManyFields: 431, .unsupportedTransferCoding: 501, .unsupportedVersion: 505,
            ])
    }
}
