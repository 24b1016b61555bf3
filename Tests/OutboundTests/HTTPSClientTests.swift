import Glibc
import Networking
import TestSupport
import Testing

@testable import Outbound

@Suite(.timeLimit(.minutes(5))) struct HTTPSClientTests {
    private let directory: TestDirectory
    private let certificate: TestCertificate

    init() throws {
        directory = try TestDirectory()
        certificate = try TestCertificate(names: ["DNS:localhost", "IP:127.0.0.1"], in: directory)
    }

    /// A client that trusts the test's authority.
    private func client(_ change: (inout OutboundConfiguration) -> Void = { _ in }) throws -> HTTPSClient {
        var configuration = OutboundConfiguration()
        configuration.authoritiesFile = certificate.authorityPath
        // What a busy machine keeps.
        configuration.connectTimeout = .seconds(60)
        configuration.timeout = .seconds(60)
        change(&configuration)
        return try HTTPSClient(configuration)
    }

    private func server(_ answer: TestHTTPServer.Answer) throws -> TestHTTPServer {
        try TestHTTPServer.start(certificate) { _ in answer }
    }

    /// Why there is no answer; nil if there is one.
    private func failure(
        _ client: HTTPSClient, _ request: OutboundRequest
    ) async -> OutboundError? {
        do throws(OutboundError) {
            _ = try await client.send(request)
            return nil
        } catch {
            return error
        }
    }

    private func isTLS(_ error: OutboundError?) -> Bool {
        if case .tls? = error { true } else { false }
    }

    private func isConnection(_ error: OutboundError?) -> Bool {
        if case .connection? = error { true } else { false }
    }

    @Test func `an answer comes with status, fields and body`() async throws {
        let server = try server(
            .bytes([UInt8]("HTTP/1.1 200 OK\r\nCache-Control: max-age=5\r\ncache-control:  public \r\nAge:\r\n\r\nhello".utf8)))
        let client = try client()
        let response = try await client.send(OutboundRequest(.get, server.url("/keys?a=b"), fields: [("Accept", "text/x")]))
        #expect(response.status == 200)
        #expect(response.body == Array("hello".utf8))
        #expect(response.field("CACHE-CONTROL") == "max-age=5, public")
        #expect(response.field("age") == "")
        #expect(response.field("etag") == nil)
        let request = try #require(server.requests.first)
        #expect(request.method == "GET")
        #expect(request.target == "/keys?a=b")
        #expect(request.fields["accept"] == "text/x")
        #expect(request.fields["cookie"] == nil)
        #expect(request.fields["accept-encoding"] == nil)
    }

    @Test(arguments: [400, 404, 429, 500, 503])
    func `a status of failure is an answer too`(status: Int) async throws {
        let server = try server(.response(status: status, body: "why"))
        let response = try await client().send(OutboundRequest(.get, server.url("/")))
        #expect(response.status == status)
        #expect(response.body == Array("why".utf8))
    }

    @Test(arguments: ["", "a=b&c=d\0e", String(repeating: "x", count: 100_000)])
    func `a POST carries its body at once`(body: String) async throws {
        let server = try server(.response(status: 200))
        let fields = [("Content-Type", "application/x-www-form-urlencoded")]
        _ = try await client().send(OutboundRequest(.post, server.url("/token"), fields: fields, body: Array(body.utf8)))
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.text == body)
        #expect(request.fields["expect"] == nil)
        #expect(request.fields["content-type"] == "application/x-www-form-urlencoded")
    }

    @Test func `fields of an interim response are not those of the answer`() async throws {
        let text = "HTTP/1.1 103 Early Hints\r\nx-a: 1\r\n\r\nHTTP/1.1 200 OK\r\nx-b: 2\r\ncontent-length: 0\r\n\r\n"
        let server = try server(.bytes(Array(text.utf8)))
        let response = try await client().send(OutboundRequest(.get, server.url("/")))
        #expect(response.status == 200)
        #expect(response.field("x-a") == nil)
        #expect(response.field("x-b") == "2")
    }

    @Test func `a server of another authority is refused`() async throws {
        let other = try TestCertificate(names: ["DNS:localhost"], in: directory)
        let server = try TestHTTPServer.start(other) { _ in .response(status: 200) }
        #expect(isTLS(await failure(try client(), OutboundRequest(.get, server.url("/")))))
        #expect(server.requests.isEmpty)
    }

    @Test func `a server with a certificate for another name is refused`() async throws {
        let other = try TestCertificate(names: ["DNS:keys.example"], in: directory)
        let server = try TestHTTPServer.start(other) { _ in .response(status: 200) }
        let client = try client { $0.authoritiesFile = other.authorityPath }
        #expect(isTLS(await failure(client, OutboundRequest(.get, server.url("/")))))
        #expect(server.requests.isEmpty)
    }

    @Test func `the system's authorities do not know the test's`() async throws {
        let server = try server(.response(status: 200))
        let client = try client { $0.authoritiesFile = nil }
        #expect(isTLS(await failure(client, OutboundRequest(.get, server.url("/")))))
    }

    @Test func `a server that speaks nothing newer than TLS 1_1 is refused`() async throws {
        let server = try TestHTTPServer.start(certificate, onlyTLS11: true) { _ in .response(status: 200) }
        #expect(isTLS(await failure(try client(), OutboundRequest(.get, server.url("/")))))
        #expect(server.requests.isEmpty)
    }

    @Test func `a file without authorities is refused at the start`() throws {
        #expect(throws: OutboundError.self) { try client { $0.authoritiesFile = "/nowhere" } }
        #expect(throws: OutboundError.self) { try client { $0.authoritiesFile = certificate.keyPath } }
    }

    @Test(arguments: [
        "http://keys.example/", "http://10.0.0.1/", "http://localhost.example/", "http://[::2]/", "ftp://localhost/",
        "file:///etc/passwd",
        "https://user:password@localhost/", "https://user@localhost/", "localhost", "/keys", "", "https://", "https://a b/",
        "https://localhost/\r\nX: y", "gopher://localhost/", "http://127.0.0.1.example/",
    ])
    func `a URL that is not https, nor of this machine, is not asked`(url: String) async throws {
        #expect(await failure(try client(), OutboundRequest(.get, url)) == .invalidRequest)
    }

    @Test(arguments: ["localhost", "127.0.0.1", "LOCALHOST", "127.1"])
    func `this machine may be asked without TLS`(host: String) async throws {
        let server = try TestHTTPServer.start { _ in .response(status: 204) }
        #expect(try await client().send(OutboundRequest(.get, server.url("/", host: host))).status == 204)
    }

    @Test func `a field cannot bring another along`() async throws {
        let request = OutboundRequest(.get, "https://localhost/", fields: [("A", "b\r\nC: d")])
        #expect(await failure(try client(), request) == .invalidRequest)
    }

    @Test func `a redirect is followed on the same server, three times`() async throws {
        for (hops, succeeds) in [(0, true), (1, true), (3, true), (4, false)] {
            let server = try TestHTTPServer.start(certificate) { request in
                let left = Int(request.target.dropFirst()) ?? 0
                return left == 0
                    ? .response(status: 200, body: "there") : .response(status: 302, fields: ["location": "/\(left - 1)"])
            }
            let request = OutboundRequest(.get, server.url("/\(hops)"))
            if succeeds {
                #expect(try await client().send(request).body == Array("there".utf8))
            } else {
                #expect(await failure(try client(), request) == .redirectRefused)
            }
            #expect(server.requests.count == min(hops, 3) + 1)
        }
    }

    @Test func `a redirect to another host, port or scheme is refused and not asked`() async throws {
        let elsewhere = try server(.response(status: 200))
        let plain = try TestHTTPServer.start { _ in .response(status: 200) }
        for target in [
            elsewhere.url("/"), plain.url("/"), "https://127.0.0.1:\(elsewhere.port)/", "//other.example/", "file:///etc/passwd",
        ] {
            let server = try server(.response(status: 301, fields: ["location": target]))
            #expect(await failure(try client(), OutboundRequest(.get, server.url("/"))) == .redirectRefused)
        }
        #expect(elsewhere.connectionCount == 0)
        #expect(plain.connectionCount == 0)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `what is posted is never sent on`(status: Int) async throws {
        let server = try server(.response(status: status, fields: ["location": "/other"]))
        #expect(await failure(try client(), OutboundRequest(.post, server.url("/"), body: [1])) == .redirectRefused)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [(4095, true), (4096, true), (4097, false)])
    func `a body may be as large as the limit`(size: Int, succeeds: Bool) async throws {
        let client = try client { $0.bodyLimit = 4096 }
        let body = String(repeating: "x", count: size)
        for server in [
            try server(.response(status: 200, body: body)),
            try server(.bytes(Array("HTTP/1.1 200 OK\r\n\r\n\(body)".utf8))),
        ] {
            let request = OutboundRequest(.get, server.url("/"))
            if succeeds {
                #expect(try await client.send(request).body.count == size)
            } else {
                #expect(await failure(client, request) == .tooLarge)
            }
        }
    }

    @Test func `an endless body and an endless head end at the limit`() async throws {
        let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 8192)
        let body = try server(.endless(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), then: chunk))
        #expect(await failure(try client(), OutboundRequest(.get, body.url("/"))) == .tooLarge)
        let fields = Array(repeating: Array("x-a: bcdefghijklmnop\r\n".utf8), count: 100).flatMap { $0 }
        let head = try server(.endless(Array("HTTP/1.1 200 OK\r\n".utf8), then: fields))
        #expect(await failure(try client(), OutboundRequest(.get, head.url("/"))) == .tooLarge)
    }

    @Test func `a server that does not answer costs no more than the time`() async throws {
        let client = try client { $0.timeout = .milliseconds(300) }
        let server = try server(.silence)
        let request = OutboundRequest(.get, server.url("/"))
        let started = Instant.now()
        #expect(await failure(client, request) == .timedOut)
        #expect(Instant.now().since(started) >= .milliseconds(290))
    }

    @Test func `a server that sends a byte now and then costs no more than the time`() async throws {
        let server = try TestHTTPServer.start(certificate) { _ in
            .endless(Array("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n".utf8), then: [])
        }
        #expect(
            await failure(try client { $0.timeout = .milliseconds(300) }, OutboundRequest(.get, server.url("/"))) == .timedOut)
    }

    @Test func `a handshake that does not go on ends with the time to connect`() async throws {
        // It accepts and says nothing.
        let listening = try TestSocket(listeningOn: 0)
        let client = try client { $0.connectTimeout = .milliseconds(200) }
        #expect(await failure(client, OutboundRequest(.get, "https://localhost:\(listening.port)/")) == .timedOut)
    }

    @Test func `all redirects together have one time`() async throws {
        let server = try TestHTTPServer.start(certificate) { _ in
            try? await Task.sleep(for: .milliseconds(200))
            return .response(status: 302, fields: ["location": "/"])
        }
        // Each alone would be in time, and the fourth would be one too many.
        let client = try client { $0.timeout = .milliseconds(500) }
        #expect(await failure(client, OutboundRequest(.get, server.url("/"))) == .timedOut)
    }

    @Test func `nobody there, or nothing that is HTTP, is a failed connection`() async throws {
        let gone = try TestSocket(listeningOn: 0)
        let port = gone.port
        gone.stopListening()
        #expect(isConnection(await failure(try client(), OutboundRequest(.get, "https://127.0.0.1:\(port)/"))))
        // Where there is no name server, or a slow one, the look-up ends with the time.
        let nameless = await failure(try client(), OutboundRequest(.get, "https://name.invalid/"))
        #expect(isConnection(nameless) || nameless == .timedOut)
        let garbage = try server(.bytes(Array("SSH-2.0-nothing\r\n".utf8)))
        #expect(isConnection(await failure(try client(), OutboundRequest(.get, garbage.url("/")))))
        let short = try server(.bytes(Array("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf".utf8)))
        #expect(isConnection(await failure(try client(), OutboundRequest(.get, short.url("/")))))
    }

    @Test func `beyond the bound of the queue the answer is no, at once`() async throws {
        let isOpen = Locked(false)
        let server = try TestHTTPServer.start(certificate) { _ in
            try? await eventually { isOpen.value }
            return .response(status: 200)
        }
        let client = try client {
            $0.threads = 1
            $0.queueLimit = 1
        }
        let request = OutboundRequest(.get, server.url("/"))
        let refused = try await withThrowingTaskGroup(of: OutboundError?.self) { group in
            group.addTask { await failure(client, request) }
            // The thread has it.
            try await eventually { server.connectionCount == 1 }
            for _ in 0..<4 { group.addTask { await failure(client, request) } }
            // While the server keeps the others waiting.
            var refused: [OutboundError?] = []
            while refused.count < 3, let failure = try await group.next() { refused.append(failure) }
            isOpen.withLock { $0 = true }
            while let failure = try await group.next() { #expect(failure == nil) }
            return refused
        }
        #expect(refused == [.overloaded, .overloaded, .overloaded])
        #expect(server.connectionCount == 2)
        client.stop()
    }

    @Test func `a server that does not answer keeps no other waiting`() async throws {
        let isOpen = Locked(false)
        let hanging = try TestHTTPServer.start(certificate) { _ in
            try? await eventually { isOpen.value }
            return .response(status: 200)
        }
        let other = try TestHTTPServer.start { _ in .response(status: 200) }
        let client = try client {
            $0.threads = 3
            $0.queueLimit = 10
        }
        try await withThrowingTaskGroup(of: OutboundError?.self) { group in
            for _ in 0..<10 { group.addTask { await failure(client, OutboundRequest(.get, hanging.url("/"))) } }
            try await eventually { hanging.connectionCount == 2 }
            for _ in 0..<3 {
                #expect(await failure(client, OutboundRequest(.get, other.url("/", host: "127.0.0.1"))) == nil)
            }
            #expect(hanging.connectionCount == 2)
            isOpen.withLock { $0 = true }
            while let failure = try await group.next() { #expect(failure == nil) }
        }
        client.stop()
    }

    @Test func `who has waited for the thread longer than his time does not ask any more`() async throws {
        let server = try server(.silence)
        let client = try client {
            $0.threads = 1
            $0.queueLimit = 10
            $0.timeout = .milliseconds(500)
        }
        let request = OutboundRequest(.get, server.url("/"))
        let failures = await withTaskGroup(of: OutboundError?.self) { group in
            for _ in 0..<10 { group.addTask { await failure(client, request) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(failures == Array(repeating: .timedOut, count: 10))
        #expect(server.connectionCount < 10)
        client.stop()
    }

    @Test func `what the environment says of proxies is not heeded`() async {
        // In a process of its own: the environment is everybody's, and nobody else may read it while it is changed.
        await #expect(processExitsWith: .success) {
            for name in ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"] {
                // Where there is none.
                setenv(name, "http://127.0.0.1:1", 1)
            }
            let directory = try TestDirectory()
            let certificate = try TestCertificate(names: ["DNS:localhost"], in: directory)
            var configuration = OutboundConfiguration()
            configuration.authoritiesFile = certificate.authorityPath
            (configuration.connectTimeout, configuration.timeout) = (.seconds(60), .seconds(60))
            let client = try HTTPSClient(configuration)
            for certificate in [certificate, nil] {
                let server = try TestHTTPServer.start(certificate) { _ in .response(status: 204) }
                let response = try await client.send(OutboundRequest(.get, server.url("/")))
                precondition(response.status == 204)
            }
        }
    }

    @Test func `a proxy is used when it is configured, except for this machine`() async throws {
        let proxy = try TestHTTPServer.start { _ in .response(status: 403) }
        let client = try client { $0.proxy = "http://127.0.0.1:\(proxy.port)" }
        #expect(isConnection(await failure(client, OutboundRequest(.get, "https://keys.example/"))))
        #expect(proxy.requests.map(\.method) == ["CONNECT"])
        #expect(proxy.requests.map(\.target) == ["keys.example:443"])
        let server = try server(.response(status: 200))
        #expect(try await client.send(OutboundRequest(.get, server.url("/"))).status == 200)
        // A stranger's URL does not lead to this machine either way.
        let strangers = OutboundRequest(.get, server.url("/"), isForPublicHosts: true)
        #expect(await failure(client, strangers) != nil)
        #expect(server.connectionCount == 1 && proxy.requests.count == 1)
    }
}
