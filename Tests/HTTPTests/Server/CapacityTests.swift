import Glibc
import TestSupport
import Testing

@testable import HTTP

@Suite("HTTPServer: its limit of connections", .timeLimit(.minutes(5)))
struct CapacityTests {
    private static func get(_ id: Int) -> String {
        "GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: \(id)\r\n\r\n"
    }

    @Test func `a connection over the limit waits until another ends`() async throws {
        try await withServer(connections: 3) { server in
            var clients = try (0..<3).map { _ in try server.connect() }
            for client in clients {
                try client.send(Self.get(1))
                try client.expect(Answer(body: "home", id: "1").text)
            }
            let late = try server.connect()
            try late.send(Self.get(2))
            // Those that stand are served as before, and it is not.
            for client in clients {
                try client.send(Self.get(3))
                try client.expect(Answer(body: "home", id: "3").text)
            }
            #expect(server.served.value.count == 6)
            #expect(server.connectionCount == 3)
            clients.removeFirst()
            try late.expect(Answer(body: "home", id: "2").text)
            #expect(server.connectionCount <= 3)
        }
    }

    @Test func `many more clients than the limit are all served, a few at a time`() async throws {
        try await withServer(connections: 5) { server in
            let left = Locked(200)
            for number in 0..<200 {
                startThread {
                    let request = "GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: \(number)\r\n\r\n"
                    let answer = try? server.answer(to: request)
                    if answer == Answer(body: "home", id: "\(number)").text { left.withLock { $0 -= 1 } }
                }
            }
            try wait {
                #expect(server.connectionCount <= 6)
                return left.value == 0
            }
        }
    }

    @Test func `a process that may open few files serves as many clients as it can, and the others after them`() async throws {
        let port = try freePort()
        let clients = Task {
            try await onThread {
                try wait { (try? TestSocket(connectingTo: port)) != nil }
                var clients = try (0..<300).map { _ in try TestSocket(connectingTo: port) }
                for client in clients { try client.send(Self.get(1)) }
                // As long as the first are there, they are served, and the last are not.
                for _ in 0..<3 {
                    for client in clients.prefix(50) {
                        try client.expect(Answer(body: "home", id: "1").text)
                        try client.send(Self.get(1))
                    }
                }
                while !clients.isEmpty { try clients.removeFirst().expect(Answer(body: "home", id: "1").text) }
                try TestSocket(connectingTo: port).send("GET /quit HTTP/1.1\r\nHost: a\r\n\r\n")
            }
        }
        await #expect(processExitsWith: .success) { [port = port as UInt16] in
            var limit = rlimit(rlim_cur: 192, rlim_max: 192)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let server = try await TestServer(connections: 10_000, port: port)
            while !server.served.value.contains("/quit") {
                precondition(server.connectionCount <= 192 - 64)
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        try await clients.value
    }
}
