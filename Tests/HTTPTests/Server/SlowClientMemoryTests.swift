import Networking
import TestSupport
import Testing

@testable import HTTP

@Suite("HTTPServer: the memory that slow clients may hold", .timeLimit(.minutes(5)))
struct SlowClientMemoryTests {
    private static let greedy = "127.0.0.2"
    private static let modest = "127.0.0.3"

    private static func echo(_ length: Int) -> String {
        Answer(body: String(repeating: "x", count: length), type: "application/octet-stream", id: "x").text
    }

    private static func unfinished(_ length: Int) -> String {
        "POST /echo HTTP/1.1\r\nHost: a\r\nX-Request-Id: x\r\nContent-Length: \(length)\r\n\r\n"
            + String(repeating: "x", count: length - 1)
    }

    @Test func `beyond the bound the client that holds most loses connections, and no other`() async throws {
        let ledger = ClientLedger(byteLimit: 1 << 20)
        try await withServer(ledger: ledger) { server in
            let modest = try (0..<5).map { _ in try server.connect(from: Self.modest) }
            for client in modest { try client.send(Self.unfinished(20_000)) }
            try wait { ledger.bytes >= 5 * 20_000 }
            let greedy = try (0..<60).map { _ in try server.connect(from: Self.greedy) }
            // One that has been closed upon does not take all of it.
            for client in greedy { try? client.send(Self.unfinished(60_000)) }
            try wait { (try? server.losses[.memory] ?? 0) ?? 0 > 0 && ledger.bytes <= 1 << 20 }
            #expect(server.connectionCount < 65)
            for client in modest {
                try client.send("x")
                try client.expect(Self.echo(20_000))
            }
        }
    }

    @Test func `where many hold as much, those lose theirs that have waited longest, and only until it is enough`() async throws {
        let ledger = ClientLedger(byteLimit: 1 << 20)
        try await withServer(ledger: ledger) { server in
            // With what a wait is reckoned to take, the seventeenth is too much.
            let clients = try (0..<17).map { try server.connect(from: "127.0.1.\($0 + 1)") }
            for client in clients {
                let before = ledger.bytes
                try client.send(Self.unfinished(60_000))
                try wait { (try? server.losses[.memory]) != nil || ledger.bytes >= before + 60_000 }
                // Others are served, so that the loop has seen all that has come.
                for _ in 0..<2 { _ = try server.answer(to: "GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            }
            try wait { (try? server.losses[.memory] ?? 0) ?? 0 > 0 && ledger.bytes <= 1 << 20 }
            let lost = Int(try server.losses[.memory] ?? 0)
            #expect((4...6).contains(lost), "\(lost)")
            #expect(server.connectionCount == 17 - lost)
            for client in clients.dropFirst(lost) {
                try client.send("x")
                try client.expect(Self.echo(60_000))
            }
        }
    }

    @Test func `beyond the bound a client that does not read loses its connection, and what it left unread is given up`()
        async throws
    {
        // Three answers of 16 MiB that are nobody else's fit, and a fourth does not; two are left, three quarters of the bound.
        let ledger = ClientLedger(byteLimit: 60 << 20)
        try await withServer(ledger: ledger) { server in
            let clients = try (0..<4).map { _ in try server.connect(from: Self.greedy, receiveBuffer: 4096) }
            for client in clients { try client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n") }
            try wait { (try? server.losses[.memory]) == 2 && server.connectionCount == 2 }
            #expect(ledger.bytes <= 45 << 20)
            // It would have got its answer to the end, had it been left alone.
            let complete = clients.count { (try? $0.receiveBody(of: TestServer.bigSize)) != nil }
            #expect(complete == 2)
        }
    }

    @Test func `what is left unread of an endless body counts`() async throws {
        let ledger = ClientLedger(byteLimit: 60 << 20)
        try await withServer(ledger: ledger) { server in
            let clients = try (0..<6).map { _ in try server.connect(from: Self.greedy, receiveBuffer: 4096) }
            for client in clients { try client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n") }
            try wait { server.served.value.count == 6 && (try? server.losses[.memory] ?? 0) ?? 0 > 0 && ledger.bytes <= 60 << 20 }
            #expect(server.connectionCount > 0 && server.connectionCount < 6)
        }
    }

    @Test func `an answer that many have in common costs nobody memory, and nobody a task`() async throws {
        let ledger = ClientLedger(byteLimit: 1 << 20)
        try await withServer(ledger: ledger) { server in
            let clients = try (0..<50).map { _ in try server.connect(receiveBuffer: 4096) }
            for client in clients { try client.send("GET /shared HTTP/1.1\r\nHost: a\r\n\r\n") }
            try wait { server.served.value.count == 50 && (try? server.taskCount) == 0 }
            #expect(try server.unsentCount > 50 << 20)
            #expect(ledger.bytes < 50 * 4096)
            #expect(try server.losses.isEmpty)
            #expect(try clients[7].receiveBody(of: TestServer.bigSize) == TestServer.bigSize)
        }
    }

    @Test func `no further request is served while an answer waits for its client`() async throws {
        try await withServer { server in
            let client = try server.connect(receiveBuffer: 4096)
            try client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
            try wait { server.served.value.count == 1 && (try? server.taskCount) == 0 }
            let more = (1...20).map { "GET /number/\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
            try client.send(more)
            // Another one is served, so that the loop has seen what has come.
            _ = try server.answer(to: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(server.served.value == ["/big", "/"])
            #expect(try client.receiveBody(of: TestServer.bigSize) == TestServer.bigSize)
            for number in 1...20 { try client.expect(Answer(body: "\(number)", number: number + 2).text) }
        }
    }

    @Test func `a connection has no task before it says something, nor once it has been silent for a while`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try wait { server.connectionCount == 1 }
            #expect(try server.taskCount == 0)
            for number in 1...3 {
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                try client.expect(Answer(body: "home", number: number).text)
                try wait { (try? server.taskCount) == 0 }
                #expect(server.connectionCount == 1)
                #expect(server.ledger.bytes == 0)
            }
        }
    }

    @Test func `a head and a body have 64 KiB together, and count together`() async throws {
        try await withServer { server in
            func begin(_ length: Int) -> String {
                let fields = (0..<2).map { "X-\($0): \(String(repeating: "f", count: 7000))\r\n" }.joined()
                return "POST /echo HTTP/1.1\r\nHost: a\r\nX-Request-Id: x\r\n\(fields)Content-Length: \(length)\r\n\r\n"
            }
            // The empty line that ends a head is no part of it.
            let rest = 64 * 1024 - (begin(10_000).utf8.count - 2)
            let client = try server.connect()
            try client.send(begin(rest) + String(repeating: "x", count: rest - 1))
            try wait { server.ledger.bytes >= 64 * 1024 - 1 }
            // With what a task that waits is reckoned to take, and what arrays round up.
            #expect(server.ledger.bytes <= 64 * 1024 + 4096 + 64)
            try client.send("x")
            try client.expect(Self.echo(rest))
            try wait { server.ledger.bytes == 0 }
            #expect(try server.answer(to: begin(rest + 1)).hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test func `what a request has held is given back with its answer, and when its client goes`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send(Self.unfinished(60_000))
            try wait { server.ledger.bytes >= 59_999 }
            #expect(server.ledger.bytes < 70_000)
            try client.send("x")
            try client.expect(Self.echo(60_000))
            try wait { server.ledger.bytes == 0 }
            var other: TestSocket? = try server.connect()
            try other?.send(Self.unfinished(60_000))
            try wait { server.ledger.bytes > 0 }
            other = nil
            try wait { server.ledger.bytes == 0 }
        }
    }
}

extension TestSocket {
    /// Reads a head and a body.
    /// - Returns: the length of the body.
    /// - Throws: when it ends before that.
    fileprivate func receiveBody(of length: Int) throws -> Int {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let next = try receive(atMost: 1)
            guard !next.isEmpty else { throw Unexpected() }
            bytes += next
        }
        var rest = length
        while rest > 0 {
            let next = try receive(atMost: min(rest, 1 << 20))
            guard !next.isEmpty else { throw Unexpected() }
            rest -= next.count
        }
        return length
    }
}
