import TestSupport
import Testing

@testable import HTTP

@Suite("HTTPServer: draining", .timeLimit(.minutes(5)))
struct DrainingTests {
    private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n" }

    @Test func `connections between requests end, and no new ones are taken`() async throws {
        try await withServer { server in
            let clients = try (0..<10).map { _ in try server.connect() }
            for (number, client) in clients.enumerated().dropFirst() {
                try client.send(Self.get("/"))
                try client.expect(Answer(body: "home", number: number).text)
            }
            try wait { server.connectionCount == 10 }
            server.drain()
            for client in clients { try client.expectEnd() }
            try wait { server.connectionCount == 0 }
            #expect(throws: TestSocket.Failure.self) { _ = try server.answer(to: Self.get("/")) }
        }
    }

    @Test func `what is being answered is finished, and says that it is the last`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send(Self.get("/slow"))
            try wait { server.gate.arrivals == 1 }
            let other = try server.connect()
            try other.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
            try other.expect("HTTP/1.1 100 Continue\r\n\r\n")
            server.drain()
            // From here on it drains.
            try wait { (try? server.connect()) == nil }
            try other.send("hello")
            try other.expect(Answer(body: "hello", type: "application/octet-stream", number: 2, connection: "close").text)
            try other.expectEnd()
            server.gate.open()
            try client.expect(Answer(body: "slow", number: 1, connection: "close").text)
            try client.expectEnd()
        }
    }

    @Test func `requests that come while the listener still stands are answered and closed upon`() async throws {
        try await withServer { server in
            let kept = try server.connect()
            try kept.send(Self.get("/"))
            try kept.expect(Answer(body: "home", number: 1).text)
            server.beginDraining()
            for number in 2...20 {
                let client = try server.connect()
                try client.send(Self.get("/"))
                try client.expect(Answer(body: "home", number: number, connection: "close").text)
                try client.expectEnd()
            }
            try kept.send(Self.get("/"))
            try kept.expect(Answer(body: "home", number: 21, connection: "close").text)
            try kept.expectEnd()
        }
    }

    @Test func `an answer that is still on its way arrives whole`() async throws {
        try await withServer { server in
            let client = try server.connect(receiveBuffer: 4096)
            let body = String(repeating: "x", count: 60_000)
            let request = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
            var count = 0
            repeat {
                try client.send(request)
                count += 1
                try wait { server.served.value.count == count }
            } while try server.unsentCount == 0
            server.drain()
            #expect(try statuses(in: client.receiveText()) == Array(repeating: 200, count: count))
        }
    }

    @Test func `a request that has come when the server begins to go is answered, and so is one on a connection that waits`()
        async throws
    {
        try await withServer { server in
            let clients = try (0..<20).map { _ in try server.connect() }
            for (number, client) in clients.prefix(10).enumerated() {
                try client.send(Self.get("/"))
                try client.expect(Answer(body: "home", number: number + 1).text)
            }
            try wait { server.connectionCount == 20 }
            var late: [TestSocket] = []
            try server.drain(after: {
                for client in clients { try client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: x\r\n\r\n") }
                late = try (0..<5).map { _ in try server.connect() }
                for client in late { try client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: x\r\n\r\n") }
            })
            for client in clients + late {
                try client.expect(Answer(body: "home", id: "x", connection: "close").text)
                try client.expectEnd()
            }
        }
    }

    @Test func `a connection that is asked on within a second is told that this was the last answer`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send(Self.get("/"))
            try client.expect(Answer(body: "home", number: 1).text)
            server.drain()
            try wait { (try? server.connect()) == nil }
            try client.send(Self.get("/"))
            try client.expect(Answer(body: "home", number: 2, connection: "close").text)
            try client.expectEnd()
        }
    }
}
