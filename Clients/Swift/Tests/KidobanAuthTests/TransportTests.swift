import ClientTestSupport
import Foundation
import KidobanTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Transport")
struct TransportTests {
    private let transport = URLSessionTransport(deadline: 10, connections: 2)

    @Test func `a redirect to another origin is not followed`() async throws {
        let thief = try TinyServer { _ in TinyServer.answer("200 OK", "thank you") }
        let target = thief.url
        let server = try TinyServer { _ in TinyServer.answer("307 Temporary Redirect", fields: ["Location: \(target)/"]) }
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        request.httpBody = Data("secret".utf8)
        #expect(try await transport.send(request).status == 307)
        #expect(thief.connectionCount == 0)
    }

    @Test func `a redirect within the origin is followed`() async throws {
        let server = try TinyServer { head in
            head.hasPrefix("GET /here ")
                ? TinyServer.answer("302 Found", fields: ["Location: /there"]) : TinyServer.answer("200 OK", head)
        }
        let answer = try await transport.send(URLRequest(url: server.url.appendingPathComponent("here")))
        #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self).hasPrefix("GET /there "))
    }

    @Test(arguments: ["Basic realm=\"x\"", "Bearer error=\"invalid_token\"", "DPoP algs=\"ES256\""])
    func `a challenge is an answer`(challenge: String) async throws {
        let server = try TinyServer { _ in
            TinyServer.answer("401 Unauthorized", "no", fields: ["WWW-Authenticate: \(challenge)"])
        }
        for authorization in [nil, "Basic eDp5", "Bearer x"] {
            var request = URLRequest(url: server.url)
            if let authorization { request.setValue(authorization, forHTTPHeaderField: "Authorization") }
            let answer = try await transport.send(request)
            #expect(answer.status == 401 && answer.field("WWW-Authenticate") == challenge)
            #expect(challenge.hasPrefix("Basic") || answer.body == Data("no".utf8))
        }
    }

    @Test func `connections are used again`() async throws {
        let server = try TinyServer { _ in TinyServer.answer("200 OK", "{}") }
        for _ in 0..<20 { _ = try await transport.send(URLRequest(url: server.url)) }
        #expect(server.connectionCount == 1)
    }

    @Test func `a server that sends now and then has a deadline too`() async throws {
        let hasty = URLSessionTransport(deadline: 0.3, connections: 1)
        let server = try TinyServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nslow" }
        await #expect(throws: URLError(.timedOut)) { try await hasty.send(URLRequest(url: server.url)) }
    }

    @Test func `an answer that does not end is none`() async throws {
        let bounded = URLSessionTransport(deadline: 10, connections: 1, longestBody: 1000)
        let server = try TinyServer { _ in TinyServer.answer("200 OK", String(repeating: "a", count: 1001)) }
        await #expect(throws: URLError(.dataLengthExceedsMaximum)) { try await bounded.send(URLRequest(url: server.url)) }
    }

    @Test func `who is cancelled does not wait for the answer`() async throws {
        let server = try TinyServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nslow" }
        let task = Task { try await transport.send(URLRequest(url: server.url)) }
        #expect(try await eventually { server.connectionCount == 1 })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `who is cancelled before the request is sent does not wait either`() async throws {
        let server = try TinyServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nslow" }
        for _ in 0..<50 {
            let task = Task { try await transport.send(URLRequest(url: server.url)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test(arguments: [("3", 3.0), (" 60 ", 60.0), ("9000000000000000000", 86_400.0)]) func `Retry-After is a day at most`(
        text: String, seconds: TimeInterval
    ) async throws {
        let server = try TinyServer { _ in TinyServer.answer("503 Service Unavailable", fields: ["Retry-After: \(text)"]) }
        #expect(try await transport.send(URLRequest(url: server.url)).retryAfter == seconds)
    }

    @Test(arguments: ["-1", "inf", "1e30", "Fri, 31 Dec 1999 23:59:59 GMT"]) func `another Retry-After is none`(
        text: String
    ) async throws {
        let server = try TinyServer { _ in TinyServer.answer("503 Service Unavailable", fields: ["Retry-After: \(text)"]) }
        #expect(try await transport.send(URLRequest(url: server.url)).retryAfter == nil)
    }

    @Test(arguments: ["", "Zg", "Zm8", "Zm9v", "-_8"]) func `base64url is read`(text: String) throws {
        #expect(Base64URL.encode(try #require(Base64URL.decode(text))) == text)
    }

    @Test(arguments: ["Z", "Zg==", "Zh", "+/8", "Zm 9v", "Zm9v\n"]) func `other base64 is refused`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
