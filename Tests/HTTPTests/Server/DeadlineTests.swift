import Glibc
import TestSupport
import Testing

@testable import HTTP

@Suite("HTTPConnection: deadlines", .timeLimit(.minutes(5)))
struct DeadlineTests {
    private static let home = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let late = "the request did not arrive in time"

    @Test func `a connection that never asks is closed without a word`() async throws {
        try await withServer(limits: .with { $0.idleTimeout = .milliseconds(50) }) { server in
            let client = try server.connect()
            try client.expectEnd()
        }
    }

    @Test func `a connection that asks no more is closed without a word`() async throws {
        try await withServer(limits: .with { $0.idleTimeout = .milliseconds(200) }) { server in
            var answer = ""
            // Who asks too late for the first time is closed upon, too, and that by a reset.
            while answer.isEmpty {
                let client = try server.connect()
                answer = (try? client.send(Self.home)).flatMap { try? client.receiveText() } ?? ""
            }
            #expect(answer == Answer(body: "home").text)
        }
    }

    @Test(arguments: ["G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r", "\r\n"])
    func `a head that does not come to its end is answered 408`(start: String) async throws {
        try await withServer(limits: .with { $0.headTimeout = .milliseconds(50) }) { server in
            let client = try server.connect()
            try client.send(start)
            #expect(try client.receiveText() == Answer.refusal("408 Request Timeout", Self.late + "\n").text)
        }
    }

    @Test(arguments: [
        "Content-Length: 5\r\n\r\nhell", "Content-Length: 5\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ])
    func `a body that does not come to its end is answered 408`(rest: String) async throws {
        try await withServer(limits: .with { $0.bodyTimeout = .milliseconds(50) }) { server in
            let client = try server.connect()
            try client.send("POST /echo HTTP/1.1\r\nHost: a\r\n" + rest)
            #expect(try client.receiveText() == Answer.refusal("408 Request Timeout", Self.late).text)
            #expect(server.served.value == [])
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n", "X: x\r\n"), ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\n", "x"),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
    ])
    func `a request that trickles does not get more time`(start: String, drop: String) async throws {
        let limits = Limits.with {
            $0.headTimeout = .milliseconds(100)
            $0.bodyTimeout = .milliseconds(100)
            $0.lingerTimeout = .milliseconds(100)
            $0.fieldCount = 100_000
            $0.headerSection = 1 << 20
        }
        try await withServer(limits: limits) { server in
            let client = try server.connect()
            try client.send(start)
            startThread {
                // Ends when the server has closed the connection.
                while (try? client.send(drop)) != nil { usleep(1000) }
            }
            #expect(try client.receiveText().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        }
    }

    @Test func `a client that does not read a large answer is dropped, and others are served meanwhile`() async throws {
        let limits = Limits.with {
            $0.writeTimeout = .milliseconds(300)
            $0.idleTimeout = .seconds(600)
        }
        try await withServer(limits: limits) { server in
            var served = 0
            // Again if this machine came to the other one so late that all was over.
            while served < 2 {
                let idle = try server.connect(receiveBuffer: 4096)
                try idle.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
                let other = try server.connect()
                served = 0
                repeat {
                    try other.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: other\r\n\r\n")
                    try other.expect(Answer(body: "home", id: "other").text)
                    served += 1
                } while server.connectionCount > 1
                // The end came before that of the answer.
                var received = 0
                while let more = try? idle.receive(), !more.isEmpty { received += more.count }
                #expect(received < TestServer.bigSize)
            }
        }
    }

    @Test func `a client that reads a large answer slowly but in time gets all of it`() async throws {
        // The time to linger begins when all has been sent.
        try await withServer(limits: .with { $0.lingerTimeout = .milliseconds(1) }) { server in
            let client = try server.connect(receiveBuffer: 4096)
            try client.send("GET /big HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            var received = 0
            while true {
                let more = try client.receive(atMost: 10_000)
                if more.isEmpty { break }
                received += more.count
            }
            #expect(received > TestServer.bigSize)
        }
    }

    @Test func `a refused client that does not end its side is closed upon after a while`() async throws {
        try await withServer(limits: .with { $0.lingerTimeout = .milliseconds(50) }) { server in
            let client = try server.connect()
            try client.send("nonsense\r\n\r\n")
            #expect(try client.receiveText().hasPrefix("HTTP/1.1 400 "))
            try wait { server.connectionCount == 0 }
        }
    }
}
