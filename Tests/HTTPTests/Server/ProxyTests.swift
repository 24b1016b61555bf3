import Networking
import TestSupport
import Testing

@testable import HTTP

/// 127.0.0.1 and 127.0.0.2 are two peers; only the second is a proxy.
@Suite("HTTPServer: whose word is taken for a client's address", .timeLimit(.minutes(5)))
struct ProxyTests {
    private static let proxy = "127.0.0.2"
    private static let other = "127.0.0.1"

    private static func proxies(_ field: ForwardedField = .xForwardedFor, _ proxyProtocol: ProxyProtocol = .off) throws
        -> TrustedProxies
    {
        TrustedProxies([try AddressBlock(proxy), try AddressBlock("10.0.0.0/8")], field: field, proxyProtocol: proxyProtocol)
    }

    private static func get(_ fields: [String]) -> String {
        "GET /client HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// Who the server thinks asks.
    private static func client(_ server: TestServer, from address: String, _ fields: [String], header: String = "") throws
        -> String
    {
        let socket = try server.connect(from: address)
        try socket.send(header + get(fields))
        socket.endSending()
        return try body(of: socket.receiveText())
    }

    /// Of the last answer; empty without one.
    private static func body(of answer: String) -> String {
        answer.split(separator: "\r\n", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    }

    private static let lines = ["X-Forwarded-For: 203.0.113.9", "X-Forwarded-For: 198.51.100.7, 10.0.0.3"]

    @Test func `a trusted proxy is believed, anybody else is not`() async throws {
        try await withServer(proxies: Self.proxies()) { server throws in
            #expect(try Self.client(server, from: Self.proxy, Self.lines) == "198.51.100.7")
            #expect(try Self.client(server, from: Self.proxy, ["X-Forwarded-For: [2001:DB8::1]:80"]) == "2001:db8::1")
            #expect(try Self.client(server, from: Self.proxy, []) == Self.proxy)
            #expect(try server.refusals == [:])
            #expect(try Self.client(server, from: Self.other, Self.lines) == Self.other)
            #expect(try Self.client(server, from: Self.other, ["Forwarded: for=203.0.113.9"]) == Self.other)
            #expect(try Self.client(server, from: Self.other, []) == Self.other)
            #expect(try server.refusals == [.untrustedPeer: 2])
        }
    }

    @Test func `nobody is believed by default`() async throws {
        try await withServer { server throws in
            #expect(try Self.client(server, from: Self.proxy, Self.lines) == Self.proxy)
            #expect(try server.refusals == [.untrustedPeer: 1])
        }
    }

    @Test(arguments: ["a", "unknown", "", "203.0.113.9, ", "203.0.113.9;x", "::1%lo", "203.0.113.9, a, 10.0.0.1"])
    func `where a trusted proxy says no address, its own counts`(value: String) async throws {
        try await withServer(proxies: Self.proxies()) { server throws in
            #expect(try Self.client(server, from: Self.proxy, ["X-Forwarded-For: \(value)"]) == Self.proxy)
            #expect(try server.refusals == [.malformed: 1])
        }
    }

    @Test func `only the field that the proxies write is believed`() async throws {
        let fields = ["Forwarded: for=203.0.113.9", "X-Forwarded-For: 198.51.100.7", "X_Forwarded_For: 192.0.2.1"]
        for (field, expected) in [(ForwardedField.forwarded, "203.0.113.9"), (.xForwardedFor, "198.51.100.7")] {
            try await withServer(proxies: Self.proxies(field)) { server throws in
                #expect(try Self.client(server, from: Self.proxy, fields) == expected)
                #expect(try Self.client(server, from: Self.proxy, [fields[2], "X-Real-IP: 192.0.2.1"]) == Self.proxy)
                #expect(try server.refusals == [:])
            }
        }
    }

    @Test func `each request of a connection has a client of its own`() async throws {
        try await withServer(proxies: Self.proxies()) { server throws in
            let socket = try server.connect(from: Self.proxy)
            for (fields, expected) in [
                (Self.lines, "198.51.100.7"), ([], Self.proxy), (["X-Forwarded-For: 192.0.2.4"], "192.0.2.4"),
            ] {
                try socket.send(Self.get(fields))
                #expect(Self.body(of: try socket.receiveAnswer()) == expected)
            }
        }
    }

    @Test func `another list of proxies holds for connections that stand`() async throws {
        try await withServer { server throws in
            let socket = try server.connect(from: Self.proxy)
            for (proxies, expected) in [
                (TrustedProxies(), Self.proxy), (try Self.proxies(), "198.51.100.7"), (TrustedProxies(), Self.proxy),
            ] {
                try server.trust(proxies)
                try socket.send(Self.get(Self.lines))
                #expect(Self.body(of: try socket.receiveAnswer()) == expected)
            }
        }
    }

    private static let header = "PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n"

    @Test func `a PROXY header names the client of all requests of a connection`() async throws {
        try await withServer(proxies: Self.proxies(.xForwardedFor, .on)) { server throws in
            let socket = try server.connect(from: Self.proxy)
            // Byte by byte, the request right behind.
            for byte in (Self.header + Self.get([])).utf8 { try socket.send([byte]) }
            #expect(Self.body(of: try socket.receiveAnswer()) == "203.0.113.9")
            try socket.send(Self.get([]) + Self.get([]))
            #expect(Self.body(of: try socket.receiveAnswer(count: 2)) == "203.0.113.9")
            #expect(try server.refusals == [:])
            // What that client says of itself is not believed, unless it is a trusted proxy again.
            #expect(try Self.client(server, from: Self.proxy, Self.lines, header: Self.header) == "203.0.113.9")
            #expect(try server.refusals == [.untrustedPeer: 1])
            let chained = "PROXY TCP4 10.1.2.3 192.0.2.1 4711 443\r\n"
            #expect(try Self.client(server, from: Self.proxy, Self.lines, header: chained) == "198.51.100.7")
            #expect(try Self.client(server, from: Self.proxy, ["X-Forwarded-For: a"], header: chained) == "10.1.2.3")
        }
    }

    @Test func `a proxy that asks for itself keeps its address`() async throws {
        try await withServer(proxies: Self.proxies(.xForwardedFor, .on)) { server throws in
            for header in ["PROXY UNKNOWN\r\n", "\r\n\r\n\0\r\nQUIT\n\u{20}\0\0\0"] {
                #expect(try Self.client(server, from: Self.proxy, Self.lines, header: header) == Self.proxy)
            }
        }
    }

    @Test func `a trusted proxy without a PROXY header is closed upon, others are taken as they are`() async throws {
        try await withServer(proxies: Self.proxies(.xForwardedFor, .on)) { server throws in
            #expect(try Self.client(server, from: Self.other, Self.lines) == Self.other)
            #expect(try server.refusals == [.untrustedPeer: 1])
            let silent = try server.connect(from: Self.proxy)
            silent.endSending()
            try silent.expectEnd()
            for start in ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PROXY TCP4 a b c d\r\n", "\r\n\r\n\0\r\nQUIT\n\u{2f}"] {
                let socket = try server.connect(from: Self.proxy)
                try socket.send(start)
                // By a reset, where something was left unread.
                #expect(((try? socket.receiveText()) ?? "") == "")
            }
            #expect(try server.refusals == [.untrustedPeer: 1, .noProxyHeader: 3])
            #expect(server.served.value == ["/client"])
            // From others the header is no request.
            #expect(try Self.client(server, from: Self.other, [], header: Self.header).contains("malformed"))
        }
    }

    @Test(arguments: ["", "PROXY TCP4 203", "\r\n\r\n\0\r\nQUIT\n\u{21}"])
    func `a PROXY header has the time of a request's head`(start: String) async throws {
        try await withServer(limits: .with { $0.headTimeout = .milliseconds(50) }, proxies: Self.proxies(.forwarded, .on)) {
            server in
            let socket = try server.connect(from: Self.proxy)
            try socket.send(start)
            try socket.expectEnd()
        }
    }

    @Test func `one line a minute is let through for each reason`() {
        let warnings = ForwardedWarnings()
        let start = Instant(nanoseconds: 5)
        for refusal in ForwardedRefusal.allCases {
            #expect(warnings.mayWarn(of: refusal, at: start))
            #expect(!warnings.mayWarn(of: refusal, at: start))
            #expect(!warnings.mayWarn(of: refusal, at: start + .milliseconds(59_999)))
            #expect(warnings.mayWarn(of: refusal, at: start + .seconds(60)))
            #expect(!warnings.mayWarn(of: refusal, at: start + .seconds(61)))
        }
    }
}

extension TestSocket {
    /// So many whole answers, as text.
    fileprivate func receiveAnswer(count: Int = 1) throws -> String {
        var text = ""
        while text.components(of: "\r\n\r\n") < count || !text.endsWithBody {
            text += String(decoding: try receive(), as: UTF8.self)
        }
        return text
    }
}

extension String {
    fileprivate func components(of separator: String) -> Int { ranges(of: separator).count }

    /// Whether as much follows the last head as it announces.
    fileprivate var endsWithBody: Bool {
        guard let head = ranges(of: "\r\n\r\n").last,
            let length = self.matches(of: /Content-Length: (\d+)/).last.flatMap({ Int($0.1) })
        else { return false }
        return self[head.upperBound...].utf8.count == length
    }
}
