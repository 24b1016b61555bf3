import TestSupport
import Testing

@testable import HTTP

@Suite("HTTPConnection: the heads of responses", .timeLimit(.minutes(5)))
struct ResponseHeadTests {
    private static func get(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    }

    @Test(arguments: ["x", "0a-Z_.9", "9f2c4e0e-2b9b-4b0e-9c67-1f3d5a7b9c1d", String(repeating: "x", count: 128)])
    func `a request id that is well formed is taken`(id: String) async throws {
        try await withServer { server throws in
            #expect(try server.answer(to: Self.get("/", "X-Request-Id: \(id)\r\n")) == Answer(body: "home", id: id).text)
            let missing = Answer(status: "404 Not Found", body: "there is nothing here\n", id: id)
            #expect(try server.answer(to: Self.get("/nothing", "x-request-id:\(id)\r\n")) == missing.text)
            let tooLarge = "POST /echo HTTP/1.1\r\nHost: a\r\nX-Request-Id: \(id)\r\nContent-Length: 10737418240\r\n\r\n"
            #expect(try server.answer(to: tooLarge).contains("\r\nX-Request-Id: \(id)\r\n"))
        }
    }

    @Test(arguments: [
        "", "a b", "a,b", "<script>", "a\r\nX-Request-Id: b", "ä", "\"", "a;b", "%0d%0a", String(repeating: "x", count: 129),
    ])
    func `any other is replaced`(id: String) async throws {
        try await withServer { server in
            let answer = try server.answer(to: Self.get("/", "X-Request-Id: \(id)\r\n"))
            #expect(answer.contains("\r\nX-Request-Id: \(TestServer.requestID(1))\r\n"))
            #expect(statuses(in: answer).count == 1)
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n", "nonsense\r\n\r\n",
        "GET / HTTP/2.0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /redirect/%0d%0aX:%20y HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", "\u{16}\u{3}\u{1}",
        "GET /\(String(repeating: "x", count: 9000)) HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 101))\r\n",
    ])
    func `every response has a date and an id, and none names the software`(request: String) async throws {
        try await withServer { server in
            let answer = try server.answer(to: request)
            #expect(statuses(in: answer).count == 1)
            for field in [
                "Date: \(TestServer.date)", "X-Request-Id: \(TestServer.requestID(1))", "X-Content-Type-Options: nosniff",
            ] {
                #expect(answer.contains("\r\n\(field)\r\n"))
            }
            #expect(!answer.lowercased().contains("\r\nserver:"))
            #expect(!answer.lowercased().contains("kidoban"))
        }
    }

    @Test(arguments: [
        "a%0d%0aX:%20y", "a%0aX:%20y", "a%0dX:%20y", "%7f", "%0d%0a%0d%0a%3Chtml%3E", "a%C3%A4", "%C4%8D%C4%8A", "%01",
    ])
    func `no value can split a response`(value: String) async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send(Self.get("/redirect/\(value)") + Self.get("/"))
            try client.expect(Answer(status: "500 Internal Server Error", type: nil, number: 1).text)
            try client.expect(Answer(body: "home", number: 2).text)
        }
    }

    @Test func `a value that is printable goes out as it is`() async throws {
        try await withServer { server in
            let answer = try server.answer(to: Self.get("/redirect/a%20b:%22c%22"))
            #expect(answer == Answer(status: "302 Found", type: nil, fields: ["Location: a b:\"c\""]).text)
        }
    }

    @Test(arguments: [
        ("TRACE /", "405 Method Not Allowed", "GET, HEAD"), ("OPTIONS /", "405 Method Not Allowed", "GET, HEAD"),
        ("PURGE /echo", "405 Method Not Allowed", "POST"), ("GET /echo", "405 Method Not Allowed", "POST"),
        ("DELETE /", "405 Method Not Allowed", "GET, HEAD"),
    ])
    func `a method that a path does not have is refused with those that it has`(
        request: String, status: String, allow: String
    ) async throws {
        try await withServer { server in
            let answer = try server.answer(to: "\(request) HTTP/1.1\r\nHost: a\r\nX-Secret: seen\r\n\r\n")
            #expect(answer == Answer(status: status, body: "the method is not allowed here", fields: ["Allow: \(allow)"]).text)
        }
    }

    @Test(arguments: ["get /", "G=T /", "CONNECT a:443", "GET http://b/", "GET /#x", "GET  /"])
    func `what is no request is refused and closed upon, and never echoed`(request: String) async throws {
        try await withServer { server in
            let answer = try server.answer(to: "\(request) HTTP/1.1\r\nHost: a\r\nX-Secret: seen\r\n\r\n")
            #expect(statuses(in: answer).count == 1)
            #expect(answer.contains("\r\nConnection: close\r\n"))
            #expect(!answer.contains("seen") && !answer.contains("443"))
        }
    }

    @Test(arguments: [
        "//", "/%2e%2e/", "/./", "/;", "/%00", "/%2f", "/number/%c0%af", "/number/a%2fb", "/number/", "/Number/1", "/number/1/",
    ])
    func `a path has one spelling`(path: String) async throws {
        try await withServer { server throws in
            #expect(try statuses(in: server.answer(to: Self.get(path))) == [404])
        }
    }
}
