import Testing

@testable import HTTP
@testable import Routing

@Suite struct ChunkedDecoderTests {
    private static let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(arguments: [
        ("0\r\n\r\n", ""), ("1\r\na\r\n0\r\n\r\n", "a"), ("3\r\nabc\r\n2\r\nde\r\n00\r\n\r\n", "abcde"),
        ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"), ("a\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
        ("0000000000000001\r\na\r\n0000000000000000\r\n\r\n", "a"), ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
        ("1;a\r\nx\r\n0;b=c;d=\"e;\\\"\t f\"\r\n\r\n", "x"), ("1;a;b;c=d\r\nx\r\n0\r\n\r\n", "x"),
        ("0\r\nX-Checksum: a\r\n\r\n", ""), ("1\r\nx\r\n0\r\nA: b\r\nC:\r\n\r\n", "x"),
    ])
    func `a chunked body is put together, however it is cut`(text: String, expected: String) throws {
        let bytes = [UInt8]((Self.head + text).utf8)
        for cuts in [[]] + bytes.indices.map({ [$0] }) + [Array(bytes.indices)] {
            let conversation = Conversation(bytes, cuts: cuts)
            #expect(conversation.error == nil)
            #expect(conversation.requests.map(\.body) == [[UInt8](expected.utf8)])
            #expect(conversation.rest == 0)
        }
    }

    @Test(
        arguments: [
            ("\r\n", .malformedChunkSize), ("x\r\n", .malformedChunkSize), ("0x1\r\na\r\n", .malformedChunkSize),
            ("+1\r\na\r\n", .malformedChunkSize), ("-1\r\na\r\n", .malformedChunkSize), (" 1\r\na\r\n", .malformedChunkSize),
            ("1 \r\na\r\n", .malformedChunkSize), ("1\t\r\na\r\n", .malformedChunkSize), ("1_0\r\n", .malformedChunkSize),
            ("1g\r\n", .malformedChunkSize), ("\"1\"\r\n", .malformedChunkSize), ("1,1\r\n", .malformedChunkSize),
            (";a\r\n", .malformedChunkSize), ("00000000000000001\r\na\r\n", .malformedChunkSize),
            ("fffffffffffffffff\r\n", .malformedChunkSize), ("10000000000000001\r\na\r\n", .malformedChunkSize),
            ("ffffffffffffffff\r\n", .bodyTooLarge), ("8000000000000000\r\n", .bodyTooLarge),
            ("7fffffffffffffff\r\n", .bodyTooLarge),
            ("100001\r\n", .bodyTooLarge), ("1\na\r\n", .malformedChunkSize), ("1\r\r\na", .malformedLineEnding),
            ("1\rXa\r\n", .malformedLineEnding), ("1\r\nab\r\n", .malformedChunkEnd), ("1\r\na\n0\r\n\r\n", .malformedChunkEnd),
            ("1\r\na\rX", .malformedChunkEnd), ("1\r\na0\r\n\r\n", .malformedChunkEnd),
            ("1\r\na\r\n\r\n0\r\n\r\n", .malformedChunkSize),
            ("0\r\n\n", .malformedLineEnding), ("0\r\n\rX", .malformedLineEnding), ("0\r\nA: b\n\r\n", .malformedLineEnding),
            ("0\r\nA: \u{0}\r\n\r\n", .malformedFieldValue), ("0\r\nA\r\n\r\n", .malformedFieldName),
            ("0\r\n A: b\r\n\r\n", .malformedFieldName), ("0\r\nA : b\r\n\r\n", .malformedFieldName),
            ("0\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedFieldName),
            ("1;\r\n", .malformedChunkExtension), ("1; a\r\n", .malformedChunkExtension), ("1;a \r\n", .malformedChunkExtension),
            ("1;a=\r\n", .malformedChunkExtension), ("1;=b\r\n", .malformedChunkExtension),
            ("1;a=b c\r\n", .malformedChunkExtension),
            ("1;a;\r\n", .malformedChunkExtension), ("1;a=\"b\r\n", .malformedChunkExtension),
            ("1;a=\"b\"c\r\n", .malformedChunkExtension), ("1;a\n", .malformedChunkExtension),
            ("1;a\u{0}\r\n", .malformedChunkExtension),
            ("1;a=\"\u{e9}\"\r\n", .malformedChunkExtension), ("1;a=\"\n\"\r\n", .malformedChunkExtension),
            ("1;a=\"\\\u{7f}\"\r\n", .malformedChunkExtension),
        ] as [(String, HTTPParseError)])
    func `a malformed chunk is refused, however it is cut`(text: String, error: HTTPParseError) {
        let bytes = [UInt8]((Self.head + text).utf8)
        for cuts in [[]] + bytes.indices.map({ [$0] }) + [Array(bytes.indices)] {
            let conversation = Conversation(bytes, cuts: cuts)
            #expect(conversation.error == error)
            #expect(conversation.requests.isEmpty)
        }
    }

    @Test(arguments: [
        "Content-Length: 5", "transfer-encoding: chunked", "HOST: b", "Authorization: Bearer x", "Cookie: a=b", "Trailer: x",
        "TE: x",
        "Content-Type: a/b", "Connection: close", "X-Forwarded-For: 1.2.3.4", "X-Request-Id: a", "Set-Cookie: a=b",
        "Content-Encoding: gzip", "Expect: 100-continue",
    ])
    func `a trailer that would change the request is refused`(line: String) {
        #expect(Conversation("\(Self.head)0\r\nA: b\r\n\(line)\r\n\r\n").error == .forbiddenTrailer)
    }

    @Test(arguments: [-1, 0, 1]) func `a body may have the limit and no more, over all its chunks`(offset: Int) {
        var limits = Limits()
        limits.body = 10
        let tail = String(repeating: "b", count: 5 + offset)
        let text = "\(Self.head)5\r\naaaaa\r\n\(5 + offset)\r\n\(tail)\r\n0\r\n\r\n"
        #expect(Conversation(text, limits: limits).error == (offset > 0 ? .bodyTooLarge : nil))
    }

    @Test func `an endless body is refused at the limit`() {
        let text = Self.head + String(repeating: "8000\r\n" + String(repeating: "a", count: 0x8000) + "\r\n", count: 33)
        #expect(Conversation(text).error == .bodyTooLarge)
    }

    @Test(arguments: [-1, 0, 1]) func `an extension may have 1024 bytes`(offset: Int) {
        let text = "\(Self.head)0;" + String(repeating: "a", count: 1023 + offset) + "\r\n\r\n"
        #expect(Conversation(text).error == (offset > 0 ? .chunkExtensionTooLong : nil))
    }

    @Test(arguments: [-1, 0, 1]) func `all extensions together may have 16 KiB`(offset: Int) {
        let full = "1;" + String(repeating: "a", count: 1023) + "\r\nx\r\n"
        let last = "0;" + String(repeating: "a", count: 1023 - 512 + offset) + "\r\n\r\n"
        let half = "1;" + String(repeating: "a", count: 511) + "\r\nx\r\n"
        let text = Self.head + String(repeating: full, count: 15) + half + last
        #expect(Conversation(text).error == (offset > 0 ? .chunkExtensionTooLong : nil))
    }

    @Test func `endless extensions of tiny chunks are refused`() {
        let text = Self.head + String(repeating: "1;" + String(repeating: "a", count: 1000) + "\r\nx\r\n", count: 1000)
        #expect(Conversation(text).error == .chunkExtensionTooLong)
    }

    @Test(arguments: [-1, 0, 1]) func `a body may have 16 trailers`(offset: Int) {
        let text = "\(Self.head)0\r\n" + String(repeating: "a: b\r\n", count: 16 + offset) + "\r\n"
        #expect(Conversation(text).error == (offset > 0 ? .trailersTooLarge : nil))
    }

    @Test(arguments: [-1, 0, 1]) func `a trailer section may have 4096 bytes`(offset: Int) {
        let line = "a: " + String(repeating: "b", count: 2048 - 5) + "\r\n"
        let last = "a: " + String(repeating: "b", count: 2048 - 5 + offset) + "\r\n"
        #expect(Conversation("\(Self.head)0\r\n\(line)\(last)\r\n").error == (offset > 0 ? .trailersTooLarge : nil))
    }

    @Test func `a refused decoder repeats its refusal`() throws {
        var decoder = try BodyDecoder(framing: .chunked, limits: Limits())
        var body: [UInt8] = []
        #expect(throws: HTTPParseError.malformedChunkSize) { try decoder.decode([0x78].span, into: &body) }
        #expect(throws: HTTPParseError.malformedChunkSize) { try decoder.decode([0x30].span, into: &body) }
    }

    @Test func `what follows the last chunk is the next request`() {
        let conversation = Conversation(Self.head + "1\r\na\r\n0\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(conversation.requests.map(\.head.path) == ["/", "/next"])
    }
}
