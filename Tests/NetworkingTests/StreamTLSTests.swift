import TestSupport
import Testing

@testable import Networking

@Suite("Stream: TLS", .timeLimit(.minutes(5)))
struct StreamTLSTests {
    @Test(arguments: [false, true])
    func `what comes together with the end of TLS is read before it`(endsConnection: Bool) async throws {
        let directory = try TestDirectory()
        let certificate = try TestCertificate(names: ["IP:127.0.0.1"], in: directory)
        let listener = try TestSocket(listeningOn: 0)
        let answer = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let context = try TestTLSContext(certificate)
        let isOver = Locked(false)
        startThread {
            guard let socket = try? listener.accept(), let channel = try? TestChannel(socket, context) else { return }
            _ = try? channel.receive()
            try? channel.send(last: answer, endsConnection: endsConnection)
            while !isOver.value, (try? socket.receive())?.isEmpty == false {}
        }
        let address = SocketAddress.ip(.v4(0x7F00_0001), port: listener.port)
        try await onLoop { pinned in
            let stream = try await Stream.connect(to: address, loop: pinned.loop, deadline: pinned.loop.soon())
            try await stream.startTLS(TLSClientContext(authoritiesFile: certificate.authorityPath), serverName: "127.0.0.1")
            stream.write([1])
            var received: [UInt8] = []
            while try await stream.fill() {
                received += stream.input
                stream.consume(stream.input.count)
            }
            #expect(received == answer)
            // It stays the end.
            let more = try await stream.fill()
            #expect(!more)
            stream.close()
        }
        isOver.withLock { $0 = true }
    }

    @Test func `what comes together with the handshake is not waited for`() async throws {
        let directory = try TestDirectory()
        let certificate = try TestCertificate(names: ["IP:127.0.0.1"], in: directory)
        let listener = try TestSocket(listeningOn: 0)
        let context = try TestTLSContext(certificate)
        startThread {
            guard let socket = try? listener.accept(), let channel = try? TestChannel(socket, context) else { return }
            try? channel.send([1, 2, 3])
            _ = try? channel.receive()
        }
        let address = SocketAddress.ip(.v4(0x7F00_0001), port: listener.port)
        try await onLoop { pinned in
            let stream = try await Stream.connect(to: address, loop: pinned.loop, deadline: pinned.loop.soon())
            try await stream.startTLS(TLSClientContext(authoritiesFile: certificate.authorityPath), serverName: "127.0.0.1")
            let more = try await stream.fill()
            #expect(more)
            #expect(stream.input == [1, 2, 3])
            stream.close()
        }
    }
}
