import TestSupport
import Testing

@testable import HTTP

@Suite("HTTPConnection: one request after the other", .timeLimit(.minutes(5)))
struct KeepAliveTests {
    private static let home = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `a connection serves one request after the other`() async throws {
        try await withServer { server in
            let client = try server.connect()
            for number in 1...20 {
                try client.send(Self.home)
                try client.expect(Answer(body: "home", number: number).text)
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test func `a client that asks for it is closed upon`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n" + Self.home)
            try client.expect(Answer(body: "home", connection: "close").text)
            try client.expectEnd()
            #expect(server.served.value == ["/"])
        }
    }

    @Test func `a client of HTTP 1.0 is closed upon, unless it asks to be kept`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            try client.expect(Answer(body: "home", number: 1, connection: "keep-alive").text)
            try client.send("GET / HTTP/1.0\r\n\r\n")
            try client.expect(Answer(body: "home", number: 2, connection: "close").text)
            try client.expectEnd()
        }
    }

    @Test func `HEAD is answered like GET, without the body`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nHEAD /nothing HTTP/1.1\r\nHost: a\r\n\r\n" + Self.home)
            try client.expect(Answer(body: "home", number: 1, isHead: true).text)
            try client.expect(Answer(status: "404 Not Found", body: "there is nothing here\n", number: 2, isHead: true).text)
            try client.expect(Answer(body: "home", number: 3).text)
        }
    }

    @Test func `an answer without a body has no length`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("GET /empty HTTP/1.1\r\nHost: a\r\n\r\n" + Self.home)
            try client.expect(Answer(status: "204 No Content", type: nil, number: 1).text)
            try client.expect(Answer(body: "home", number: 2).text)
        }
    }

    @Test func `an empty line before a request is forgiven, a second one is not`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("\r\n" + Self.home)
            try client.expect(Answer(body: "home", number: 1).text)
            try client.send("\r\n\r\n" + Self.home)
            #expect(try client.receiveText() == Answer.malformed("400 Bad Request", .malformedRequestLine, number: 2).text)
        }
    }

    @Test func `a body that no route wants is read and dropped, and the connection goes on`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: \(Self.home.utf8.count)\r\n\r\n" + Self.home)
            try client.expect(Answer(body: "home", number: 1).text)
            try client.send("POST /nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
            try client.expect(Answer(status: "404 Not Found", body: "there is nothing here\n", number: 2).text)
            try client.send(Self.home)
            try client.expect(Answer(body: "home", number: 3).text)
        }
    }

    @Test func `the peer of a request is the other end of its connection`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("GET /peer HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 10.0.0.1\r\n\r\n")
            try client.expect(Answer(body: "127.0.0.1").text)
        }
    }

    @Test func `clients do not get each other's answers`() async throws {
        try await withServer { server in
            let clients = try (0..<200).map { _ in try server.connect() }
            for round in 0..<5 {
                for (number, client) in clients.enumerated() {
                    try client.send(
                        "GET /number/\(round)-\(number) HTTP/1.1\r\nHost: a\r\nX-Request-Id: \(round).\(number)\r\n\r\n")
                }
                for (number, client) in clients.enumerated() {
                    try client.expect(Answer(body: "\(round)-\(number)", id: "\(round).\(number)").text)
                }
            }
            #expect(server.connectionCount == 200)
        }
    }
}
