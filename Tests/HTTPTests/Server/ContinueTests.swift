import TestSupport
import Testing

@testable import HTTP

@Suite("HTTPConnection: Expect", .timeLimit(.minutes(5)))
struct ContinueTests {
    private static let goOn = "HTTP/1.1 100 Continue\r\n\r\n"
    private static let head = "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"

    @Test(arguments: [("Content-Length: 5\r\n", "hello"), ("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n")])
    func `a client that waits is told to go on`(framing: String, body: String) async throws {
        try await withServer { server in
            let client = try server.connect()
            for number in 1...3 {
                try client.send(Self.head + framing + "\r\n")
                try client.expect(Self.goOn)
                try client.send(body)
                try client.expect(Answer(body: "hello", type: "application/octet-stream", number: number).text)
            }
        }
    }

    @Test func `a client that has not waited is not told`() async throws {
        try await withServer { server in
            let answer = try server.answer(to: Self.head + "Content-Length: 5\r\n\r\nhello")
            #expect(answer == Answer(body: "hello", type: "application/octet-stream").text)
        }
    }

    @Test func `a client that sends no body, or speaks HTTP 1.0, is not told`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send(Self.head + "\r\n" + Self.head + "Content-Length: 0\r\n\r\n")
            try client.expect(Answer(type: "application/octet-stream", number: 1).text)
            try client.expect(Answer(type: "application/octet-stream", number: 2).text)
            try client.send("POST /echo HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
            // Were it told to go on, that would come before the answer.
            try client.send("hello")
            try client.expect(Answer(body: "hello", type: "application/octet-stream", number: 3, connection: "close").text)
        }
    }

    @Test(arguments: ["200-ok", "100-continue, x", "100-continue\r\nExpect: 100-continue", ""])
    func `any other expectation is refused`(expectation: String) async throws {
        try await withServer { server in
            let answer = try server.answer(
                to: "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: \(expectation)\r\nContent-Length: 5\r\n\r\n")
            #expect(answer == Answer.malformed("417 Expectation Failed", .unsupportedExpectation).text)
        }
    }

    @Test(arguments: [
        ("/echo", "Content-Length: 1048577", "413 Content Too Large"), ("/nothing", "Content-Length: 5", "404 Not Found"),
        ("/json", "Content-Length: 5", "415 Unsupported Media Type"),
        ("/", "Transfer-Encoding: chunked", "405 Method Not Allowed"),
    ])
    func `a client whose body is not wanted is refused instead`(path: String, framing: String, status: String) async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("POST \(path) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\(framing)\r\n\r\n")
            let answer = try client.receiveText()
            #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"))
            #expect(statuses(in: answer).count == 1)
            #expect(answer.contains("\r\nConnection: close\r\n"))
            #expect(server.served.value == [])
        }
    }
}
