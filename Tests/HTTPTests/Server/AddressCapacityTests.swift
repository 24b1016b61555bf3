import Networking
import TestSupport
import Testing

@testable import HTTP

@Suite("HTTPServer: its limit of connections of one address", .timeLimit(.minutes(5)))
struct AddressCapacityTests {
    private static let home = "GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: x\r\n\r\n"
    private static let answer = Answer(body: "home", id: "x").text

    private static func expectServed(_ client: TestSocket) throws {
        try client.send(home)
        try client.expect(answer)
    }

    private static func expectRefused(_ client: TestSocket) {
        #expect((try? client.send(home)).flatMap { (try? client.receiveText()) ?? "" } ?? "" == "")
    }

    @Test func `one more is closed at once, others are served, and one that ends makes room`() async throws {
        try await withServer(ledger: ClientLedger(connectionsEach: 3)) { server in
            var clients = try (0..<3).map { _ in try server.connect(from: "127.0.0.2") }
            for client in clients { try Self.expectServed(client) }
            try Self.expectRefused(server.connect(from: "127.0.0.2"))
            #expect(try server.losses == [.tooMany: 1])
            try Self.expectServed(server.connect(from: "127.0.0.3"))
            for client in clients { try Self.expectServed(client) }
            clients.removeFirst()
            try wait { server.connectionCount == 2 }
            try Self.expectServed(server.connect(from: "127.0.0.2"))
        }
    }

    @Test func `a trusted proxy may have any number`() async throws {
        let proxies = TrustedProxies([try AddressBlock("127.0.0.2")])
        try await withServer(ledger: ClientLedger(connectionsEach: 3), proxies: proxies) { server in
            let clients = try (0..<10).map { _ in try server.connect(from: "127.0.0.2") }
            for client in clients { try Self.expectServed(client) }
            #expect(try server.losses.isEmpty)
        }
    }

    @Test func `whom a PROXY header names counts, and not the proxy`() async throws {
        let proxies = TrustedProxies([try AddressBlock("127.0.0.2")], proxyProtocol: .on)
        try await withServer(ledger: ClientLedger(connectionsEach: 2), proxies: proxies) { server in
            func connect(for source: String) throws -> TestSocket {
                let client = try server.connect(from: "127.0.0.2")
                try client.send("PROXY TCP4 \(source) 192.0.2.1 1 2\r\n")
                return client
            }
            let first = try (0..<2).map { _ in try connect(for: "203.0.113.1") }
            for client in first { try Self.expectServed(client) }
            try Self.expectRefused(connect(for: "203.0.113.1"))
            let second = try connect(for: "203.0.113.2")
            try Self.expectServed(second)
            for client in first { try Self.expectServed(client) }
            #expect(try server.losses == [.tooMany: 1])
        }
    }

    @Test func `when places are short, who has most of them loses those that have been silent for longest, and others find one`()
        async throws
    {
        try await withServer(connections: 64, ledger: ClientLedger(connectionsEach: 1000, places: 64)) { server in
            let honest = try (0..<4).map { _ in try server.connect(from: "127.0.0.9") }
            for client in honest { try Self.expectServed(client) }
            let silent = try (0..<44).map { try server.connect(from: $0 < 22 ? "127.0.0.2" : "127.0.0.3") }
            try wait { server.connectionCount == 48 }
            // There is no place for all of them otherwise.
            let others = try (0..<40).map { try server.connect(from: "127.0.1.\($0 + 1)") }
            for client in others { try Self.expectServed(client) }
            let closed = try server.losses[.crowded] ?? 0
            #expect(closed >= 24)
            try wait { server.connectionCount == 88 - Int(closed) }
            // None of those that have few.
            for client in honest + others { try Self.expectServed(client) }
            withExtendedLifetime(silent) {}
        }
    }

    @Test func `where nobody has many, those that were idle for longest give way, and none with a request under way`()
        async throws
    {
        try await withServer(connections: 32, ledger: ClientLedger(places: 32)) { server in
            let (slow, half) = try (server.connect(from: "127.0.0.2"), server.connect(from: "127.0.0.3"))
            try slow.send("GET /slow HTTP/1.1\r\nHost: a\r\nX-Request-Id: x\r\n\r\n")
            try half.send(String(Self.home.dropLast()))
            try wait { server.served.value == ["/slow"] && (try? server.taskCount) == 2 }
            // A quarter as many addresses as there are places, each with as many connections as nobody loses for having many.
            let silent = try (0..<28).map { try server.connect(from: "127.0.1.\($0 / 4)") }
            try wait { server.connectionCount >= 29 }
            let others = try (0..<40).map { number in
                let client = try server.connect(from: "127.0.2.\(number)")
                try Self.expectServed(client)
                return client
            }
            #expect(try server.losses[.crowded] == nil)
            #expect(try server.losses[.idle] ?? 0 > 0)
            try half.send("\r\n")
            try half.expect(Self.answer)
            server.gate.open()
            try slow.expect(Answer(body: "slow", id: "x").text)
            withExtendedLifetime((silent, others)) {}
        }
    }

    @Test func `those that have got their last answer give way first`() async throws {
        try await withServer(connections: 32, ledger: ClientLedger(places: 32)) { server in
            let idle = try server.connect(from: "127.0.0.9")
            try Self.expectServed(idle)
            let answered = try (0..<29).map { number in
                let client = try server.connect(from: "127.0.1.\(number / 4)")
                try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Request-Id: x\r\n\r\n")
                try client.expect(Answer(body: "home", id: "x", connection: "close").text)
                return client
            }
            let others = try (0..<8).map { try server.connect(from: "127.0.2.\($0)") }
            for client in others { try Self.expectServed(client) }
            #expect(try server.losses[.idle] ?? 0 > 0)
            try Self.expectServed(idle)
            withExtendedLifetime(answered) {}
        }
    }

    @Test func `one that asks in the moment in which it would give way is answered`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try Self.expectServed(client)
            try server.endIdle { try client.send(Self.home) }
            try client.expect(Self.answer)
        }
    }

    @Test func `who came when there was no place gets that of one that has been answered and says nothing more`() async throws {
        try await withServer(connections: 4, ledger: ClientLedger(places: 4)) { server in
            let clients = try (1...4).map { number in
                let client = try server.connect(from: "127.0.0.\(number)")
                try client.send("GET /slow HTTP/1.1\r\nHost: a\r\nX-Request-Id: x\r\n\r\n")
                try wait { server.served.value.count == number }
                return client
            }
            let late = try server.connect(from: "127.0.0.9")
            try late.send(Self.home)
            server.gate.open()
            for client in clients { try client.expect(Answer(body: "slow", id: "x").text) }
            try late.expect(Self.answer)
            #expect(try server.losses[.idle] ?? 0 > 0)
        }
    }

    @Test func `a trusted proxy loses no connection that is idle`() async throws {
        let proxies = TrustedProxies([try AddressBlock("127.0.0.2")])
        try await withServer(connections: 16, ledger: ClientLedger(places: 16), proxies: proxies) { server in
            let proxied = try (0..<10).map { _ in try server.connect(from: "127.0.0.2") }
            for client in proxied { try Self.expectServed(client) }
            let others = try (0..<20).map { try server.connect(from: "127.0.1.\($0)") }
            for client in others.suffix(2) + proxied { try Self.expectServed(client) }
        }
    }

    @Test func `a connection whose client a PROXY header names gives way like that client's own`() async throws {
        let proxies = TrustedProxies([try AddressBlock("127.0.0.2")], proxyProtocol: .on)
        try await withServer(connections: 16, ledger: ClientLedger(places: 16), proxies: proxies) { server in
            let clients = try (0..<30).map { number in
                let client = try server.connect(from: "127.0.0.2")
                try client.send("PROXY TCP4 203.0.113.\(number) 192.0.2.1 1 2\r\n")
                try Self.expectServed(client)
                return client
            }
            #expect(try server.losses[.idle] ?? 0 >= 14)
            try Self.expectServed(clients[29])
        }
    }
}
