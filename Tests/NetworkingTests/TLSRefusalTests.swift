import TestSupport
import Testing

@testable import Networking

@Suite("Stream: TLS that is refused", .timeLimit(.minutes(5)))
struct TLSRefusalTests {
    /// What becomes of a handshake with a server that does `serve` with each connection.
    private func failure(
        authorities: String?, name: String = "127.0.0.1", _ serve: @escaping @Sendable (TestSocket) throws -> Void
    ) async throws -> StreamError? {
        let listener = try TestSocket(listeningOn: 0)
        startThread {
            guard let socket = try? listener.accept() else { return }
            try? serve(socket)
        }
        let address = SocketAddress.ip(.v4(0x7F00_0001), port: listener.port)
        return try await onLoop { pinned in
            let stream = try await Stream.connect(to: address, loop: pinned.loop, deadline: pinned.loop.soon())
            defer { stream.close() }
            do throws(StreamError) {
                try await stream.startTLS(TLSClientContext(authoritiesFile: authorities), serverName: name)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test(arguments: ["localhost", "127.0.0.2", "example.com", "::1"])
    func `a certificate for another name is refused`(name: String) async throws {
        let directory = try TestDirectory()
        defer { withExtendedLifetime(directory) {} }
        let certificate = try TestCertificate(names: ["IP:127.0.0.1", "DNS:other.test"], in: directory)
        let context = try TestTLSContext(certificate)
        let failure = try await failure(authorities: certificate.authorityPath, name: name) { _ = try TestChannel($0, context) }
        guard case .tls(let reason) = failure else { Issue.record("it was let in: \(String(describing: failure))"); return }
        #expect(reason.contains("mismatch"))
    }

    @Test func `a certificate of an authority that is not trusted is refused`() async throws {
        let directory = try TestDirectory()
        defer { withExtendedLifetime(directory) {} }
        let certificate = try TestCertificate(names: ["IP:127.0.0.1"], in: directory)
        let other = try TestCertificate(names: ["IP:127.0.0.1"], in: directory)
        let context = try TestTLSContext(certificate)
        for authorities in [other.authorityPath, nil] {
            let failure = try await failure(authorities: authorities) { _ = try TestChannel($0, context) }
            guard case .tls = failure else { Issue.record("it was let in: \(String(describing: failure))"); return }
        }
    }

    @Test func `a file without certificates trusts nobody`() throws {
        #expect(throws: StreamError.self) { try TLSClientContext(authoritiesFile: "/dev/null") }
        #expect(throws: StreamError.self) { try TLSClientContext(authoritiesFile: "/nonexistent") }
    }

    @Test func `a server that ends the connection in the middle of the handshake is no peer`() async throws {
        let directory = try TestDirectory()
        defer { withExtendedLifetime(directory) {} }
        let certificate = try TestCertificate(names: ["IP:127.0.0.1"], in: directory)
        let failure = try await failure(authorities: certificate.authorityPath) { socket in
            _ = try socket.receive()
            socket.endSending()
            while try !socket.receive().isEmpty {}
        }
        #expect(failure == .tls("the peer ended the connection during the handshake"))
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n\r\n", "-ERR unknown command\r\n", "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
    ])
    func `a server that speaks something else is no peer`(text: String) async throws {
        let directory = try TestDirectory()
        defer { withExtendedLifetime(directory) {} }
        let certificate = try TestCertificate(names: ["IP:127.0.0.1"], in: directory)
        let failure = try await failure(authorities: certificate.authorityPath) { socket in
            _ = try socket.receive()
            try socket.send(text)
            while try !socket.receive().isEmpty {}
        }
        guard case .tls(let reason) = failure, !reason.contains("authorities") else {
            Issue.record("it was let in: \(String(describing: failure))"); return
        }
    }

    @Test func `a server that says nothing is given up at the deadline`() async throws {
        let listener = try TestSocket(listeningOn: 0)
        let address = SocketAddress.ip(.v4(0x7F00_0001), port: listener.port)
        try await onLoop { pinned in
            let stream = try await Stream.connect(to: address, loop: pinned.loop, deadline: pinned.loop.soon())
            stream.setDeadline(pinned.loop.now + .milliseconds(20))
            await pinned.expect(.timedOut) { _ in try await stream.startTLS(TLSClientContext(), serverName: "127.0.0.1") }
            stream.close()
        }
    }
}
