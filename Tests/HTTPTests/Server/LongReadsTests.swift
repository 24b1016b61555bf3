import TestSupport
import Testing

@testable import HTTP

@Suite("HTTPConnection: bodies that are there at once", .timeLimit(.minutes(5)))
struct LongReadsTests {
    @Test func `who sends much keeps others waiting for a first read each, and is served`() async throws {
        try await withServer { server in
            let greedy = try (0..<40).map { _ in try server.connect() }
            let modest = try server.connect()
            for client in greedy + [modest] {
                try client.send("GET /number/1 HTTP/1.1\r\nHost: a\r\nX-Request-Id: x\r\n\r\n")
                try client.expect(Answer(body: "1", id: "x").text)
            }
            let body = String(repeating: "x", count: 40_000)
            try server.whileLoopStands {
                for client in greedy {
                    try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nX-Request-Id: x\r\nContent-Length: 40000\r\n\r\n" + body)
                }
                try modest.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: x\r\n\r\n")
            }
            try modest.expect(Answer(body: "home", id: "x").text)
            for client in greedy {
                try client.expect(Answer(body: body, type: "application/octet-stream", id: "x").text)
            }
            #expect(try #require(server.served.value.firstIndex(of: "/")) <= 41 + LongReads.perTurn)
        }
    }
}
