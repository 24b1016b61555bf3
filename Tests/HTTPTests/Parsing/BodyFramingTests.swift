import Testing

@testable import HTTP

@Suite struct BodyFramingTests {
    @Test(
        arguments: [
            ([], .none), (["Content-Length: 0"], .none), (["Content-Length: 00"], .none), (["Content-Length: 5"], .length(5)),
            (["content-length:\t007 "], .length(7)), (["Content-Length: 0000000000000000012"], .length(12)),
            (["Content-Length: 9223372036854775807"], .length(.max)), (["Transfer-Encoding: chunked"], .chunked),
            (["transfer-encoding:CHUNKED\t"], .chunked),
        ] as [([String], BodyFraming)])
    func `a body is framed by its length or in chunks`(fields: [String], expected: BodyFraming) throws {
        #expect(try parsedHead(fields: fields, method: "POST").framing == expected)
    }

    @Test(arguments: [
        "", "+5", "-1", "-0", "0x5", "5_0", "5 0", "5,5", "5, 5", "5.0", "5e0", "a", "5a", "\"5\"", "5;", "0,0",
        "9223372036854775808", "18446744073709551616", "18446744073709551621", "99999999999999999999",
        "00000000000000000005", String(repeating: "9", count: 40), String(repeating: "0", count: 40),
    ])
    func `a length that is not up to nineteen digits is refused`(value: String) {
        expect(["Content-Length: \(value)"], .malformedContentLength)
    }

    @Test(arguments: ["٥", "５", "\u{b9}"]) func `digits of other scripts are refused`(value: String) {
        expect(["Content-Length: \(value)"], .malformedFieldValue)
    }

    @Test(arguments: [["5", "5"], ["5", "6"], ["5", ""], ["0", "0"], ["", "5"]])
    func `a second length is refused, equal or not`(values: [String]) {
        expect(values.map { "Content-Length: \($0)" }, .repeatedField)
    }

    @Test(
        arguments: [
            ("xchunked", .unsupportedTransferCoding), ("identity", .unsupportedTransferCoding),
            ("gzip", .unsupportedTransferCoding),
            ("gzip, chunked", .unsupportedTransferCoding), ("chunk", .unsupportedTransferCoding),
            ("chunkedd", .unsupportedTransferCoding),
            ("'chunked'", .unsupportedTransferCoding), ("chunked, gzip", .malformedTransferEncoding),
            ("chunked, chunked", .malformedTransferEncoding), ("chunked,chunked", .malformedTransferEncoding),
            ("chunked,", .malformedTransferEncoding), (",chunked", .malformedTransferEncoding), ("", .malformedTransferEncoding),
            ("chunked chunked", .malformedTransferEncoding), ("gzip chunked", .malformedTransferEncoding),
            ("\"chunked\"", .malformedTransferEncoding), ("chunked;a=b", .malformedTransferEncoding),
            ("gzip, deflate", .malformedTransferEncoding), ("chunked\\", .malformedTransferEncoding),
            ("\u{b}chunked", .malformedFieldValue), ("chunked\u{c}", .malformedFieldValue),
            ("\u{0}chunked", .malformedFieldValue),
            ("chunked\r", .malformedLineEnding), ("\r\n chunked", .malformedTransferEncoding),
            ("\nchunked", .malformedLineEnding),
        ] as [(String, HTTPParseError)])
    func `a transfer encoding other than chunked is refused`(value: String, error: HTTPParseError) {
        let conversation = Conversation("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \(value)\r\n\r\n0\r\n\r\n")
        #expect(conversation.requests.isEmpty)
        // A folded line is found out by its white space before the value could be.
        #expect(conversation.error == (value.hasPrefix("\r\n ") ? .malformedFieldName : error))
    }

    @Test func `a transfer encoding is refused beside a length, twice, and before HTTP 1.1`() {
        expect(["Transfer-Encoding: chunked", "Content-Length: 5"], .conflictingFraming)
        expect(["Content-Length: 5", "Transfer-Encoding: chunked"], .conflictingFraming)
        expect(["Content-Length: 5", "Transfer-Encoding: x"], .conflictingFraming)
        expect(["Content-Length: x", "Transfer-Encoding: chunked"], .conflictingFraming)
        expect(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], .repeatedField)
        expect(["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], .repeatedField)
        expect(["Transfer-Encoding: identity", "Transfer-Encoding: chunked"], .repeatedField)
        expect(["Transfer-Encoding: chunked"], version: "1.0", .transferEncodingBeforeHTTP11)
        expect(["Transfer-Encoding: x"], version: "1.0", .transferEncodingBeforeHTTP11)
    }

    @Test func `the body of a GET is read and left behind`() {
        let conversation = Conversation(
            "GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: 27\r\n\r\nGET /evil HTTP/1.1\r\nHost: aGET /b HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        #expect(conversation.requests.map(\.head.path) == ["/a", "/b"])
    }

    private func expect(_ fields: [String], version: String = "1.1", _ error: HTTPParseError) {
        let lines = fields.map { $0 + "\r\n" }.joined()
        let conversation = Conversation("POST / HTTP/\(version)\r\nHost: a\r\n\(lines)\r\n0\r\n\r\n")
        #expect(conversation.error == error)
        #expect(conversation.requests.isEmpty)
    }
}
