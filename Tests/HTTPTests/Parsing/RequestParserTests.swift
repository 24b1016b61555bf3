import Testing

@testable import HTTP
@testable import Routing

@Suite struct RequestParserTests {
    static let wholeRequests = [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "\r\nGET /x?y=z HTTP/1.1\r\nHost: a:80\r\nConnection: keep-alive, close\r\n\r\n",
        "POST /oauth2/introspect HTTP/1.1\r\nhost: [::1]:8080\r\nAuthorization: Basic YTpi\r\nAccept: */*\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n\r\ntoken=a",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0;x=\"y;\"\r\nX-A: b\r\n\r\n",
        "PATCH http://a.example/b HTTP/1.1\r\nX-Empty:\r\nX-Tab:\ta\tb\t\r\nHost: a.example\r\nContent-Length: 0\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
    ]

    @Test(arguments: wholeRequests) func `every prefix is incomplete and the whole is complete`(text: String) {
        let bytes = [UInt8](text.utf8)
        for count in bytes.indices {
            let conversation = Conversation([UInt8](bytes.prefix(count)))
            #expect(conversation.requests.isEmpty, "\(count) bytes")
            #expect(conversation.error == nil, "\(count) bytes")
        }
        let whole = Conversation(bytes)
        #expect(whole.requests.count == 1)
        #expect(whole.error == nil)
        #expect(whole.rest == 0)
    }

    @Test(arguments: wholeRequests) func `one cut anywhere, or everywhere, changes nothing`(text: String) throws {
        let bytes = [UInt8](text.utf8)
        let whole = try #require(Conversation(bytes).requests.first)
        for cuts in bytes.indices.map({ [$0] }) + [Array(bytes.indices)] {
            let conversation = Conversation(bytes, cuts: cuts)
            let request = try #require(conversation.requests.first, "\(cuts)")
            #expect(conversation.requests.count == 1)
            #expect(request.body == whole.body)
            #expect(request.head.bytes == whole.head.bytes)
            #expect(request.head.path == whole.head.path)
            #expect(request.head.query == whole.head.query)
            #expect(request.head.framing == whole.head.framing)
            #expect(request.head.fieldCount == whole.head.fieldCount)
        }
    }

    @Test func `a head keeps what came, in its parts`() throws {
        let head = try parsedHead(
            "POST /a/b?c=%20&d HTTP/1.1\r\nHost: Example.org:8443\r\nX-One:  1 2 \r\nx-one:\t3\r\nContent-Length: 12\r\n\r\n")
        #expect(head.method == .post)
        #expect(head.version == .http11)
        #expect(head.path == "/a/b")
        #expect(head.query == "c=%20&d")
        #expect(head.queryBytes == [UInt8]("c=%20&d".utf8))
        #expect(head.framing == .length(12))
        #expect(head.value(of: .host) == "Example.org:8443")
        #expect(head.value(of: .cookie) == nil)
        #expect(head.values(named: "x-one") == ["1 2", "3"])
        #expect(head.fieldCount == 4)
        #expect(head.field(at: 2) == (name: "x-one", value: "3"))
    }

    @Test func `requests in one segment come out one after the other`() {
        let count = 1000
        let text = (0..<count).map { "POST /\($0) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" }.joined()
        let conversation = Conversation(text)
        #expect(conversation.requests.map(\.head.path) == (0..<count).map { "/\($0)" })
        #expect(conversation.requests.allSatisfy { $0.body == [0x61, 0x62, 0x63] })
        #expect(conversation.error == nil)
        #expect(conversation.rest == 0)
    }

    @Test(arguments: [1, 2, 3, 7, 64]) func `requests cut into equal stretches come out whole`(stretch: Int) {
        let bytes = [UInt8](Self.wholeRequests.joined().utf8)
        let conversation = Conversation(bytes, cuts: Array(stride(from: stretch, to: bytes.count, by: stretch)))
        #expect(conversation.requests.count == Self.wholeRequests.count)
        #expect(conversation.error == nil)
    }

    @Test func `what is valid before the first error is still read`() {
        let valid = "GET /ok HTTP/1.1\r\nHost: a\r\n\r\n"
        let conversation = Conversation(valid + valid + "get / HTTP/1.1\r\nHost: a\r\n\r\n" + valid)
        #expect(conversation.requests.count == 2)
        #expect(conversation.error == .malformedMethod)
    }

    @Test func `a refused parser repeats its refusal, even for a good request`() {
        var parser = RequestParser(limits: Limits())
        let bad = [UInt8]("GET /\u{1}".utf8)
        let good = [UInt8]("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        #expect(throws: HTTPParseError.malformedRequestLine) { try parser.parse(bad.span) }
        #expect(throws: HTTPParseError.malformedRequestLine) { try parser.parse(good.span) }
    }

    @Test func `a parser knows whether a request has begun`() throws {
        var parser = RequestParser(limits: Limits())
        #expect(!parser.isInsideRequest)
        _ = try parser.parse([UInt8]("G".utf8).span)
        #expect(parser.isInsideRequest)
        _ = try parser.parse([UInt8]("GET / HTTP/1.0\r\n\r\n".utf8).span)
        #expect(!parser.isInsideRequest)
    }

    @Test func `one empty line before a request is forgiven, two are not`() {
        #expect(Conversation("\r\nGET / HTTP/1.0\r\n\r\n").requests.count == 1)
        #expect(Conversation("\r\n\r\nGET / HTTP/1.0\r\n\r\n").error == .malformedRequestLine)
        #expect(Conversation("\nGET / HTTP/1.0\r\n\r\n").error == .malformedLineEnding)
        #expect(Conversation("\rGET / HTTP/1.0\r\n\r\n").error == .malformedLineEnding)
    }

    @Test func `a TLS greeting is refused at its first byte`() {
        #expect(Conversation([0x16]).error == .malformedRequestLine)
    }

    @Test func `a head prints neither its fields nor its query`() throws {
        let head = try parsedHead(fields: ["Authorization: Bearer secret"], path: "/a?token=secret")
        for text in ["\(head)", String(reflecting: head), dumped(head)] {
            #expect(!text.contains("secret"))
        }
    }

    private func dumped(_ value: some Any) -> String {
        var output = ""
        dump(value, to: &output)
        return output
    }
}
