import TestSupport
import Testing

@testable import HTTP

@Suite("HTTPConnection: clients that hang up", .timeLimit(.minutes(5)))
struct HangupTests {
    private static let home = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(arguments: ["", "Connection: close\r\n"])
    func `a client that has ended its side gets the whole answer`(field: String) async throws {
        try await withServer { server in
            let answer = try server.answer(to: "GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
            #expect(answer == Answer(body: "home", connection: field.isEmpty ? nil : "close").text)
            let client = try server.connect(receiveBuffer: 4096)
            try client.send("GET /big HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
            client.endSending()
            let big = String(repeating: "b", count: TestServer.bigSize)
            #expect(try client.receiveText() == Answer(body: big, number: 2, connection: field.isEmpty ? nil : "close").text)
        }
    }

    @Test func `a client that has ended its side gets the answers to all it has asked`() async throws {
        try await withServer { server in
            let answers = try server.answer(to: String(repeating: Self.home, count: 500))
            #expect(statuses(in: answers) == Array(repeating: 200, count: 500))
        }
    }

    @Test func `a client that has ended its side gets an answer that takes its time`() async throws {
        try await withServer { server throws in
            let client = try server.connect()
            try client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            client.endSending()
            try wait { server.gate.arrivals == 1 }
            server.gate.open()
            #expect(try client.receiveText() == Answer(body: "slow").text)
        }
    }

    @Test(arguments: ["", "GET / HT", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhell"])
    func `a client that ends in the middle of a request gets no answer to it`(start: String) async throws {
        try await withServer { server throws in
            #expect(try server.answer(to: start) == "")
            let whole = "GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: x\r\n\r\n"
            #expect(try server.answer(to: whole + start) == Answer(body: "home", id: "x").text)
            #expect(server.served.value == ["/"])
        }
    }

    @Test(arguments: [
        "", "GET / HT", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhell", "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n", "nonsense\r\n\r\n",
        "GET /big HTTP/1.1\r\nHost: a\r\n\r\n", "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
    func `a client that resets leaves nothing behind, at whatever stage`(sent: String) async throws {
        try await withServer { server in
            for reads in [false, true] {
                for _ in 0..<20 {
                    let client = try server.connect()
                    try client.send(sent)
                    client.resetAtEnd()
                    if reads, sent.contains("/big") || sent.hasSuffix("\r\n\r\n"), !sent.contains("/slow") {
                        _ = try client.receive(atMost: 10)
                    }
                }
            }
            server.gate.open()
            try wait { server.connectionCount == 0 }
            #expect(
                try server.answer(to: "GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: x\r\n\r\n")
                    == Answer(body: "home", id: "x").text)
        }
    }

    @Test func `a flood of clients that reset leaves nothing behind`() async throws {
        let sent = ["", "GET", Self.home, "nonsense\r\n\r\n"]
        try await withServer { server in
            let failures = Locked(0)
            let left = Locked(4)
            for text in sent {
                startThread {
                    for _ in 0..<5000 {
                        do {
                            let client = try server.connect()
                            client.resetAtEnd()
                            try client.send(text)
                        } catch {
                            failures.withLock { $0 += 1 }
                        }
                    }
                    left.withLock { $0 -= 1 }
                }
            }
            try wait { left.value == 0 }
            #expect(failures.value == 0)
            try wait { server.connectionCount == 0 }
            #expect(
                try server.answer(to: "GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: x\r\n\r\n")
                    == Answer(body: "home", id: "x").text)
        }
    }
}
