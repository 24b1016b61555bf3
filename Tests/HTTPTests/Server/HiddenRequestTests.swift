import TestSupport
import Testing

@testable import HTTP

/// Request smuggling over a real connection: whatever the framing fields are made to look like, nobody but the client's own
/// first request is served.
@Suite("HTTPConnection: hidden requests", .timeLimit(.minutes(5)))
struct HiddenRequestTests {
    private static let hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `no trick with the framing fields brings a second answer`() async throws {
        try await withServer { server in
            for line in SmugglingTests.known {
                for request in Self.requests(with: line) {
                    let answer = try server.answer(to: request)
                    let codes = statuses(in: answer)
                    #expect(codes.count == 1 && codes.allSatisfy { (400..<600).contains($0) }, "\(line)")
                    #expect(answer.contains("\r\nConnection: close\r\n"))
                }
            }
            #expect(server.served.value == [])
        }
    }

    /// The hidden request in what a reader of lengths, or one of chunks, takes for the body; and the fields in both orders.
    private static func requests(with line: String) -> [String] {
        let size = String(hidden.utf8.count, radix: 16)
        let lengthFirst = "0\r\n\r\n\(hidden)"
        let chunksFirst = "\(size)\r\n\(hidden)\r\n0\r\n\r\n"
        return [(lengthFirst, lengthFirst.utf8.count), (chunksFirst, size.utf8.count + 2)].flatMap { body, length in
            ["Content-Length: \(length)\r\n\(line)", "\(line)\r\nContent-Length: \(length)"].map { fields in
                "POST /echo HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(body)"
            }
        }
    }

    @Test(arguments: [
        "Content-Length: 0\r\nContent-Length: 34", "Content-Length: 34\r\nContent-Length: 0", "Content-Length: 34, 34",
        "Content-Length: -1", "Content-Length: 0x22", "Content-Length: 3 4", "Content-Length: 18446744073709551616",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: gzip",
        "Transfer-Encoding: gzip, chunked",
    ])
    func `a request whose end cannot be told is answered once`(fields: String) async throws {
        try await withServer { server in
            let answer = try server.answer(to: "POST /echo HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n" + Self.hidden)
            #expect(statuses(in: answer).count == 1)
            #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 501 "))
            #expect(server.served.value == [])
        }
    }

    @Test(arguments: [
        ("Content-Length: 33", "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("Transfer-Encoding: chunked", "21\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n\r\n0\r\n\r\n"),
    ])
    func `a request inside a well-framed body is a body`(fields: String, body: String) async throws {
        try await withServer { server in
            let answer = try server.answer(to: "POST /echo HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n" + body)
            #expect(answer == Answer(body: Self.hidden, type: "application/octet-stream").text)
            #expect(server.served.value == ["/echo"])
        }
    }

    @Test(arguments: ["h2c", "websocket", "TLS/1.0"])
    func `an upgrade is not made, and what follows is a request`(upgrade: String) async throws {
        try await withServer { server in
            let request =
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: \(upgrade)\r\nHTTP2-Settings: AA\r\n\r\n"
            let answer = try server.answer(to: request + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            #expect(answer.hasPrefix(Answer(body: "home").text + "HTTP/1.1 "))
            #expect(statuses(in: answer).first == 200)
            #expect(statuses(in: answer).count == 2)
            #expect(server.served.value == ["/"])
        }
    }
}
