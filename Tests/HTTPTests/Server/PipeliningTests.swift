import TestSupport
import Testing

@testable import HTTP

@Suite("HTTPConnection: pipelined requests", .timeLimit(.minutes(5)))
struct PipeliningTests {
    private static func request(_ number: Int) -> String {
        "GET /number/\(number) HTTP/1.1\r\nHost: a\r\n\r\n"
    }

    private static func answers(_ count: Int) -> String {
        (0..<count).map { Answer(body: "\($0)", number: $0 + 1).text }.joined()
    }

    /// Every kind of framing, one behind the other.
    private static let conversation =
        request(0) + "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
        + "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nde\r\n0\r\nT: x\r\n\r\n" + request(1)
    private static let conversationAnswer = [
        Answer(body: "0", number: 1), Answer(body: "abc", type: "application/octet-stream", number: 2),
        Answer(body: "de", type: "application/octet-stream", number: 3), Answer(body: "1", number: 4),
    ].map(\.text).joined()

    @Test func `a thousand requests in one go are answered in their order`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send((0..<1000).map(Self.request).joined())
            try client.expect(Self.answers(1000))
        }
    }

    @Test func `who pipelines keeps others waiting for a few requests only`() async throws {
        try await withServer { server in
            let greedy = try server.connect()
            let modest = try server.connect()
            for client in [greedy, modest] {
                try client.send(Self.request(0))
                try client.expectStatus(200)
            }
            try server.whileLoopStands {
                // What one read takes.
                try greedy.send((1...300).map(Self.request).joined())
                try modest.send("GET /empty HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            try modest.expectStatus(204)
            for _ in 0..<300 { try greedy.expectStatus(200) }
            #expect(try #require(server.served.value.firstIndex(of: "/empty")) <= 2 + HTTPConnection.requestsInARow)
        }
    }

    @Test func `requests may be cut anywhere`() async throws {
        try await withServer { server in
            let bytes = [UInt8](Self.conversation.utf8)
            let client = try server.connect()
            for cut in 1..<bytes.count {
                try client.send([UInt8](bytes[..<cut]))
                try client.send([UInt8](bytes[cut...]))
                for _ in 0..<4 { try client.expectStatus(200) }
            }
            #expect(server.served.value.count == 4 * (bytes.count - 1))
        }
    }

    @Test func `requests may arrive byte by byte`() async throws {
        try await withServer { server in
            let client = try server.connect()
            for byte in Self.conversation.utf8 { try client.send([byte]) }
            client.endSending()
            #expect(try client.receiveText() == Self.conversationAnswer)
        }
    }

    @Test(arguments: [0, 1, 2, 10, 999])
    func `after good requests a bad one is answered once, and nothing behind it is read`(count: Int) async throws {
        try await withServer { server in
            let client = try server.connect()
            let good = (0..<count).map(Self.request).joined()
            try client.send(good + "GET / HTTP/1.1\r\nHost : a\r\n\r\n" + Self.request(count))
            let refusal = Answer.malformed("400 Bad Request", .malformedFieldName, number: count + 1)
            try client.expect(Self.answers(count) + refusal.text)
            try client.expectEnd()
            #expect(server.served.value.count == count)
        }
    }

    @Test func `a bad body is answered once, and nothing behind it is read`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send(
                Self.request(0) + "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n"
                    + Self.request(1))
            let refusal = Answer.refusal("400 Bad Request", "\(HTTPParseError.malformedChunkEnd.reason)", number: 2)
            try client.expect(Self.answers(1) + refusal.text)
            try client.expectEnd()
            #expect(server.served.value == ["/number/0"])
        }
    }

    @Test func `an answer waits for those before it`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n" + Self.request(7))
            try wait { server.gate.arrivals == 1 }
            let other = try server.connect()
            try other.send(Self.request(8))
            try other.expect(Answer(body: "8", number: 2).text)
            #expect(server.served.value == ["/slow", "/number/8"])
            server.gate.open()
            try client.expect(Answer(body: "slow", number: 1).text + Answer(body: "7", number: 3).text)
        }
    }

    @Test func `a client that asks without reading is held back, and gets everything once it reads`() async throws {
        try await withServer { server in
            let client = try server.connect(receiveBuffer: 4096)
            let count = 20_000
            // Its own thread, because the server stops reading long before the end.
            startThread {
                for start in stride(from: 0, to: count, by: 1000) {
                    try? client.send((start..<start + 1000).map(Self.request).joined())
                }
            }
            try wait { ((try? server.unsentCount) ?? 0) > 0 && (try? server.taskCount) == 0 }
            #expect(server.served.value.count < count / 4)
            try client.expect(Self.answers(count))
        }
    }
}

extension TestSocket {
    /// Reads one answer with its body.
    fileprivate func expectStatus(_ status: Int) throws {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            let byte = try receive(atMost: 1)
            if byte.isEmpty { throw Unexpected() }
            head += byte
        }
        let text = String(decoding: head, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        let length =
            text.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
        var body = 0
        while body < length { body += try receive(atMost: length - body).count }
    }
}
