import Testing

@testable import HTTP

/// The unusual that is allowed all the same.
@Suite struct RequestAcceptanceTests {
    @Test(arguments: [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW", "VERSION-CONTROL", "M-SEARCH",
        String(repeating: "A", count: 32),
    ])
    func `a method keeps its name`(name: String) throws {
        let head = try parsedHead("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.method.name == name)
    }

    @Test func `only an unknown method is another one`() throws {
        #expect(try parsedHead("DELETE / HTTP/1.1\r\nHost: a\r\n\r\n").method == .delete)
        #expect(try parsedHead("BREW / HTTP/1.1\r\nHost: a\r\n\r\n").method == .other("BREW"))
        #expect(try parsedHead("BREW-2 / HTTP/1.1\r\nHost: a\r\n\r\n").method == .other("BREW-2"))
    }

    @Test(
        arguments: [
            ("/", "/", nil), ("//", "//", nil), ("/a/../b", "/a/../b", nil), ("/%2e%00", "/%2e%00", nil),
            ("/a;b=c", "/a;b=c", nil),
            ("/?", "/", ""), ("/a?b?c", "/a", "b?c"), ("/a?{b}|[c]^`\\", "/a", "{b}|[c]^`\\"),
            ("http://a", "/", nil), ("HTTPS://A/b?c", "/b", "c"), ("http://a?b", "/", "b"), ("http://a/", "/", nil),
        ] as [(String, String, String?)])
    func `a target is split and otherwise left alone`(target: String, path: String, query: String?) throws {
        let head = try parsedHead("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.path == path)
        #expect(head.query == query)
    }

    @Test func `an asterisk asks about the server`() throws {
        #expect(try parsedHead("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").path == "*")
    }

    @Test(arguments: [
        "a", "A.example", "a-b.c_d", "127.0.0.1:1", "a:65535", "a:00080", "[::1]", "[2001:db8::1]:443", "[::ffff:127.0.0.1]",
        "xn--bcher-kva.example", String(repeating: "a", count: 255),
    ])
    func `a valid host is kept as it came`(host: String) throws {
        #expect(try parsedHead("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").value(of: .host) == host)
    }

    @Test func `HTTP 1.0 needs no host, but a wrong one is refused there too`() {
        #expect(Conversation("GET / HTTP/1.0\r\n\r\n").requests.count == 1)
        #expect(Conversation("GET / HTTP/1.0\r\nHost: a b\r\n\r\n").error == .malformedHost)
        #expect(Conversation("GET http://a/ HTTP/1.0\r\n\r\n").error == .mismatchedAuthority)
    }

    @Test func `a name with an underscore is another name`() throws {
        let head = try parsedHead(fields: ["X_Forwarded_For: 1.2.3.4", "Content_Length: 5", "Transfer_Encoding: chunked"])
        #expect(head.value(of: .forwardedFor) == nil)
        #expect(head.framing == .none)
        #expect(head.values(named: "x_forwarded_for") == ["1.2.3.4"])
    }

    @Test func `an upgrade is ignored`() throws {
        let head = try parsedHead(fields: ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMA"])
        #expect(head.persistence == .keepAlive)
    }
}

@Suite struct PersistenceTests {
    @Test(
        arguments: [
            ("1.1", [], .keepAlive), ("1.1", ["close"], .close), ("1.1", ["Close"], .close), ("1.1", ["keep-alive"], .keepAlive),
            ("1.1", ["keep-alive, close"], .close), ("1.1", ["keep-alive", "close"], .close), ("1.1", ["closed"], .keepAlive),
            ("1.1", [""], .keepAlive), ("1.1", [",, close ,"], .close),
            ("1.0", [], .close), ("1.0", ["keep-alive"], .announcedKeepAlive), ("1.0", ["Keep-Alive"], .announcedKeepAlive),
            ("1.0", ["keep-alive, close"], .close), ("1.0", ["x", "keep-alive"], .announcedKeepAlive),
        ] as [(String, [String], Persistence)])
    func `a connection persists as RFC 9112 section 9.3 says`(
        version: String, connection: [String], expected: Persistence
    ) throws {
        let fields = connection.map { "Connection: \($0)\r\n" }.joined()
        let head = try parsedHead("GET / HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n")
        #expect(head.persistence == expected)
    }
}

@Suite struct ExpectationTests {
    @Test(
        arguments: [
            ("1.1", "Content-Length: 1", .continueBeforeBody), ("1.1", "Transfer-Encoding: chunked", .continueBeforeBody),
            ("1.1", "Content-Length: 0", .none), ("1.1", "Accept: */*", .none), ("1.0", "Content-Length: 1", .none),
        ] as [(String, String, ClientExpectation)])
    func `a continue is only sent to an HTTP 1.1 client with a body`(
        version: String, field: String, expected: ClientExpectation
    ) throws {
        let head = try parsedHead("POST / HTTP/\(version)\r\nHost: a\r\nExpect: 100-Continue\r\n\(field)\r\n\r\n")
        #expect(head.expectation == expected)
    }

    @Test func `without the field nothing is expected`() throws {
        #expect(try parsedHead(fields: ["Content-Length: 1"]).expectation == .none)
    }
}

@Suite struct RequestIDTests {
    @Test(arguments: ["a", "0193a3c4-2b5e-7d21-9c11-8a7fb3b0a6d2", "A_b.c-9", String(repeating: "x", count: 128)])
    func `a well formed identifier is taken over`(id: String) throws {
        #expect(RequestID.wellFormed(in: try parsedHead(fields: ["X-Request-ID: \(id)"])) == id)
    }

    @Test(arguments: ["", "a b", "a,b", "<a>", "a\"", "a:b", String(repeating: "x", count: 129)])
    func `any other is not`(id: String) throws {
        #expect(RequestID.wellFormed(in: try parsedHead(fields: ["X-Request-ID: \(id)"])) == nil)
    }

    @Test func `a repeated or missing identifier is not taken over`() throws {
        #expect(RequestID.wellFormed(in: try parsedHead(fields: ["X-Request-ID: a", "X-Request-ID: a"])) == nil)
        #expect(RequestID.wellFormed(in: try parsedHead(fields: [])) == nil)
    }
}
