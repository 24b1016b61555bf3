import Synchronization
import TestSupport

@testable import Redis

/// A server that says what a test tells it to: a hostile or broken one, or one that has just lost its role.
final class FakeRedis: Sendable {
    /// The server's end of one connection. For one thread at a time.
    final class Peer: @unchecked Sendable {  // used by the thread of its connection, only
        /// Which connection it is, from 1.
        let number: Int
        private let socket: TestSocket
        private var received: ArraySlice<UInt8> = []

        fileprivate init(_ socket: TestSocket, number: Int) {
            self.socket = socket
            self.number = number
        }

        /// The next command, word by word; the connection's end throws.
        func command() throws -> [String] {
            guard let count = try Int(line().dropFirst()) else { throw Ended() }
            return try (0..<count).map { _ in
                guard let length = try Int(line().dropFirst()) else { throw Ended() }
                let word = try String(decoding: take(length), as: UTF8.self)
                _ = try line()
                return word
            }
        }

        /// Answers the `SELECT` that every connection begins with, and the question for the server's role.
        func greet(role: String = ":0\r\n") throws {
            _ = try command()
            try send("+OK\r\n")
            _ = try command()
            try send(role)
        }

        func send(_ text: String) throws {
            try socket.send(text)
        }

        func resetAtEnd() {
            socket.resetAtEnd()
        }

        /// Waits until the client ends the connection.
        func waitForEnd() throws {
            while try !socket.receive().isEmpty {}
        }

        private func line() throws -> String {
            while true {
                if let end = received.firstIndex(of: 13), end + 1 < received.endIndex {
                    defer { received = received[(end + 2)...] }
                    return String(decoding: received[..<end], as: UTF8.self)
                }
                try more()
            }
        }

        private func take(_ count: Int) throws -> ArraySlice<UInt8> {
            while received.count < count { try more() }
            defer { received = received.dropFirst(count) }
            return received.prefix(count)
        }

        private func more() throws {
            let bytes = try socket.receive()
            if bytes.isEmpty { throw Ended() }
            received += bytes
        }
    }

    struct Ended: Error {}

    private let listener: TestSocket
    private let isStopped = Atomic(false)
    private let accepted = Atomic(0)

    /// - Parameter script: run on a thread of its own for each connection, which ends with it.
    init(_ script: @escaping @Sendable (Peer) throws -> Void) throws {
        listener = try TestSocket(listeningOn: 0)
        startThread { [self] in
            while let socket = try? listener.accept(), !isStopped.load(ordering: .relaxed) {
                let number = accepted.wrappingAdd(1, ordering: .relaxed).newValue
                startThread { try? script(Peer(socket, number: number)) }
            }
        }
    }

    var configuration: RedisConfiguration { .local(port: listener.port) }

    /// How many connections there have been.
    var connectionCount: Int { accepted.load(ordering: .relaxed) }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        _ = try? TestSocket(connectingTo: listener.port)
    }
}

/// Lends a fake server, which is stopped afterwards.
func withFakeRedis(
    _ script: @escaping @Sendable (FakeRedis.Peer) throws -> Void, _ body: (FakeRedis) async throws -> Void
) async throws {
    let server = try FakeRedis(script)
    defer { server.stop() }
    try await body(server)
}
