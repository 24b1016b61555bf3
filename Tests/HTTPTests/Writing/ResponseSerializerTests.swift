import HTTP
import Testing
import Text

@Suite struct ResponseSerializerTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private func serialized(
        _ response: Response, answering method: Method? = .get, requestID: String = "r-1", persistence: Persistence = .keepAlive
    ) -> String {
        var output: [UInt8] = []
        ResponseSerializer.append(
            response, to: &output, answering: method, requestID: requestID, date: [UInt8](Self.date.utf8),
            persistence: persistence)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `a response has its status, length, type, date, request id and fields`() {
        let response = Response.json(.ok, [UInt8]("{\"a\":1}".utf8), fields: ["Cache-Control": "no-store"])
        #expect(
            serialized(response) == """
                HTTP/1.1 200 OK\r
                X-Content-Type-Options: nosniff\r
                Content-Length: 7\r
                Content-Type: application/json\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                X-Request-Id: r-1\r
                Cache-Control: no-store\r
                \r
                {"a":1}
                """)
    }

    @Test func `a JSON writer is a body`() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("a", "b")
        writer.endObject()
        #expect(Response.json(.created, writer).body == [UInt8]("{\"a\":\"b\"}".utf8))
    }

    @Test(arguments: [
        (Status.created, "201 Created"), (.badRequest, "400 Bad Request"),
        (.headerFieldsTooLarge, "431 Request Header Fields Too Large"),
        (.serviceUnavailable, "503 Service Unavailable"), (Status(299), "299 Success"), (Status(499), "499 Client Error"),
        (Status(599), "599 Server Error"), (Status(399), "399 Redirection"),
    ])
    func `a status is written with its phrase`(status: Status, line: String) {
        #expect(serialized(.empty(status)).hasPrefix("HTTP/1.1 \(line)\r\nX-Content-Type-Options: nosniff\r\n"))
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 999, 1000, 12345, 1_048_576]) func `a length is written in decimal`(count: Int) {
        let response = Response(.ok, body: [UInt8](repeating: 0x61, count: count))
        let text = serialized(response)
        #expect(text.contains("\r\nContent-Length: \(count)\r\n"))
        #expect(text.utf8.count(where: { $0 == 0x61 }) >= count)
        #expect(text.hasSuffix("\r\n\r\n" + String(repeating: "a", count: count)))
    }

    @Test func `HEAD gets the fields of GET without the body`() {
        let response = Response.text(.ok, "hello")
        let whole = serialized(response)
        #expect(serialized(response, answering: .head) == whole.replacing("hello", with: ""))
        #expect(whole.contains("Content-Length: 5\r\nContent-Type: text/plain; charset=utf-8\r\n"))
    }

    @Test(arguments: [Status.noContent, .notModified]) func `a status without content has neither body nor length`(
        status: Status
    ) {
        let text = serialized(.text(status, "hello"))
        #expect(text.hasSuffix("\r\n\r\n"))
        #expect(!text.contains("\r\nContent-"))
    }

    @Test func `the connection is named when it closes or when an old client keeps it`() {
        #expect(!serialized(.empty(.ok)).contains("Connection"))
        #expect(serialized(.empty(.ok), persistence: .close).contains("\r\nConnection: close\r\n"))
        #expect(serialized(.empty(.ok), persistence: .announcedKeepAlive).contains("\r\nConnection: keep-alive\r\n"))
    }

    @Test(arguments: ["a\r\nSet-Cookie: evil=1", "a\nb", "a\rb", "a\u{0}b", "a\u{7f}", "é"])
    func `a response whose field could split it becomes a bare 500`(value: String) {
        let response = Response.json(.ok, [UInt8]("{}".utf8), fields: ["Location": value, "X-Other": "1"])
        let text = serialized(response)
        #expect(text.hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
        #expect(text.contains("Content-Length: 0\r\n"))
        #expect(!text.contains("evil") && !text.contains("Location") && !text.contains("{}"))
        #expect(text.split(separator: "\r\n\r\n", omittingEmptySubsequences: false).count == 2)
    }

    @Test(arguments: ["", "a\r\nb", "a\u{0}", "é", "\u{7f}"]) func `a request id that could split a response is left out`(
        id: String
    ) {
        #expect(!serialized(.empty(.ok), requestID: id).contains("X-Request-Id"))
    }

    @Test func `responses are appended one behind the other`() {
        var output = [UInt8]("before".utf8)
        for _ in 0..<2 {
            ResponseSerializer.append(
                .empty(.ok), to: &output, answering: .get, requestID: "r", date: [], persistence: .keepAlive)
        }
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.hasPrefix("beforeHTTP/1.1 200"))
        #expect(text.split(separator: "HTTP/1.1").count == 3)
    }

    @Test func `a continue is an interim response without fields`() {
        #expect(ResponseSerializer.continueResponse.description == "HTTP/1.1 100 Continue\r\n\r\n")
    }
}
