import TestSupport
import Testing

@testable import HTTP

@Suite("HTTPConnection: bodies and their limit", .timeLimit(.minutes(5)))
struct BodyLimitTests {
    private static let limit = 1000
    private static let limits = Limits.with { $0.body = limit }
    private static let tooLarge = Answer.refusal("413 Content Too Large", "the body is too large").text
    private static let head = "POST /echo HTTP/1.1\r\nHost: a\r\n"

    private static func chunked(_ body: String, size: Int) -> String {
        let chunks = stride(from: 0, to: body.count, by: size).map { start in
            let chunk = body.dropFirst(start).prefix(size)
            return "\(String(chunk.count, radix: 16))\r\n\(chunk)\r\n"
        }
        return chunks.joined() + "0\r\n\r\n"
    }

    @Test(arguments: [-1, 0, 1], [false, true])
    func `a body may have as many bytes as the limit says`(difference: Int, isChunked: Bool) async throws {
        try await withServer(limits: Self.limits) { server in
            let body = String(repeating: "x", count: Self.limit + difference)
            let request =
                isChunked
                ? Self.head + "Transfer-Encoding: chunked\r\n\r\n" + Self.chunked(body, size: 300)
                : Self.head + "Content-Length: \(body.count)\r\n\r\n" + body
            let answer = try server.answer(to: request)
            #expect(answer == (difference > 0 ? Self.tooLarge : Answer(body: body, type: "application/octet-stream").text))
        }
    }

    @Test(arguments: ["1001", "10737418240", "9223372036854775807"])
    func `a length over the limit is refused before a byte of the body has come`(length: String) async throws {
        try await withServer(limits: Self.limits) { server in
            let client = try server.connect()
            try client.send(Self.head + "Content-Length: \(length)\r\n\r\n")
            try client.expect(Self.tooLarge)
            try client.expectEnd()
        }
    }

    @Test(arguments: ["3e9", "ffffffffffffffff", "7fffffffffffffff"])
    func `so is a chunk over the limit`(size: String) async throws {
        try await withServer(limits: Self.limits) { server in
            let client = try server.connect()
            try client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n")
            try client.expect(Self.tooLarge)
            try client.expectEnd()
        }
    }

    @Test(arguments: ["1\r\nx\r\n", "1;name=value\r\nx\r\n", "3e8\r\n\(String(repeating: "x", count: 1000))\r\n"])
    func `chunks without end are refused at the limit`(chunk: String) async throws {
        try await withServer(limits: Self.limits) { server in
            let client = try server.connect()
            try client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
            let block = String(repeating: chunk, count: max(1, 100_000 / chunk.utf8.count))
            // Until the server has had enough of it.
            var blocks = 0
            while blocks < 1000, (try? client.send(block)) != nil { blocks += 1 }
            #expect(blocks < 1000)
            try client.expect(Self.tooLarge)
            #expect(server.served.value == [])
        }
    }

    @Test func `extensions and trailers without end are refused`() async throws {
        try await withServer(limits: Self.limits) { server in
            for (endless, reason) in [
                ("1;\(String(repeating: "e", count: 900))\r\nx\r\n", HTTPParseError.chunkExtensionTooLong),
                ("0\r\n" + String(repeating: "T: x\r\n", count: 20), .trailersTooLarge),
            ] {
                let client = try server.connect()
                try client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: endless, count: 50))
                let answer = try client.receiveText()
                #expect(answer.hasPrefix("HTTP/1.1 400 "))
                #expect(answer.hasSuffix("\r\n\r\n\(reason.reason)"))
                #expect(statuses(in: answer) == [400])
            }
        }
    }

    @Test func `a body as large as allowed comes back whole, in pieces of any size`() async throws {
        try await withServer(limits: .with { $0.body = 1 << 20 }) { server in
            let body = String(repeating: "0123456789abcdef", count: 65_536)
            let client = try server.connect()
            startThread {
                try? client.send(Self.head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
                try? client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n" + Self.chunked(body, size: 70_001))
            }
            for number in 1...2 { try client.expect(Answer(body: body, type: "application/octet-stream", number: number).text) }
        }
    }

    @Test(arguments: [false, true]) func `a head and its body have 64 KiB together`(isChunked: Bool) async throws {
        try await withServer(limits: .with { $0.body = 64 * 1024 }) { server in
            func request(padding: Int, body size: Int) -> String {
                let head = Self.head + "X-Padding: \(String(repeating: "p", count: padding))\r\n"
                let body = String(repeating: "x", count: size)
                guard isChunked else { return head + "Content-Length: \(size)\r\n\r\n" + body }
                return head + "Transfer-Encoding: chunked\r\n\r\n" + Self.chunked(body, size: 5000)
            }
            for (padding, size, status) in [(10, 65_000, 200), (10, 65_500, 413), (16_000, 49_000, 200), (16_000, 50_000, 413)] {
                let answer = try server.answer(to: request(padding: padding, body: size))
                #expect(statuses(in: answer) == [status], "\(padding) and \(size) bytes")
            }
        }
    }
}
