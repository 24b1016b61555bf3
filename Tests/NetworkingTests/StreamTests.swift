import Glibc
import TestSupport
import Testing

@testable import Networking

@Suite("Stream and Listener", .timeLimit(.minutes(5)))
struct StreamTests {
    @Test func `bytes written on one side are read on the other, in order`() async throws {
        try await onLoop { pinned in
            let (client, server, listener) = try await pinned.pair()
            let sent = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            client.write(sent)
            var received: [UInt8] = []
            while received.count < sent.count, try await server.fill() {
                received += server.input
                server.consume(server.input.count)
            }
            #expect(received == sent)
            client.close()
            server.close()
            listener.close()
        }
    }

    @Test func `a stream that was closed is let go of, whenever its deadline would have been`() async throws {
        try await onLoop { pinned in
            weak var client: Networking.Stream?
            weak var server: Networking.Stream?
            try await {
                let (first, second, listener) = try await pinned.pair()
                (client, server) = (first, second)
                first.close()
                // The peer's end comes with its own deadline set anew.
                while try await second.fill() { second.consume(second.input.count) }
                second.setDeadline(pinned.loop.soon() + .seconds(1))
                second.close()
                listener.close()
            }()
            // What is registered is let go of at the end of the turn.
            while client != nil || server != nil {
                try Task.checkCancellation()
                await pinned.loop.sleep(for: .milliseconds(1))
            }
        }
    }

    @Test func `bytes that are shared leave in their place, and are not copied`() async throws {
        try await onLoop { pinned in
            let (client, server, listener) = try await pinned.pair()
            var shared = [UInt8](repeating: 7, count: 16 << 20)
            for place in stride(from: 0, to: shared.count, by: 1000) { shared[place] = UInt8(truncatingIfNeeded: place >> 8) }
            client.write([1, 2, 3])
            client.write(sharing: shared)
            #expect(client.unsentCount == shared.count + 3)
            #expect(client.bufferedBytes < 4096)
            client.flush()
            #expect(client.isBlocked)
            #expect(client.bufferedBytes < 4096)
            // Whatever follows goes behind them.
            client.write([4, 5, 6])
            var received: [UInt8] = []
            while received.count < shared.count + 6, try await server.fill() {
                received += server.input
                server.consume(server.input.count)
            }
            #expect(received == [1, 2, 3] + shared + [4, 5, 6])
            #expect(client.unsentCount == 0)
            client.close()
            server.close()
            listener.close()
        }
    }

    @Test func `a reader sees the end of the peer's stream, and may still answer`() async throws {
        try await onLoop { pinned in
            let (client, server, listener) = try await pinned.pair()
            let loop = pinned.loop
            loop.start {
                client.setDeadline(loop.soon())
                client.write([1, 2, 3])
                await client.finish()
            }
            let more = try await server.fill()
            #expect(more)
            #expect(server.input == [1, 2, 3])
            server.consume(3)
            let ended = try await !server.fill()
            #expect(ended)
            server.close()
            listener.close()
        }
    }

    @Test func `a read that gets nothing ends at its deadline, and the stream goes on`() async throws {
        try await onLoop { pinned in
            let (client, server, listener) = try await pinned.pair()
            server.setDeadline(pinned.loop.now + .milliseconds(20))
            await pinned.expect(.timedOut) { _ in _ = try await server.fill() }
            server.setDeadline(pinned.loop.soon())
            client.write([7])
            let more = try await server.fill()
            #expect(more)
            client.close()
            server.close()
            listener.close()
        }
    }

    @Test func `a deadline that was moved later does not fire early`() async throws {
        try await onLoop { pinned in
            let (client, server, listener) = try await pinned.pair()
            let start = pinned.loop.now
            server.setDeadline(pinned.loop.now + .milliseconds(10))
            server.setDeadline(pinned.loop.now + .milliseconds(60))
            await pinned.expect(.timedOut) { _ in _ = try await server.fill() }
            #expect(Instant.now().since(start) >= .milliseconds(60))
            client.close()
            server.close()
            listener.close()
        }
    }

    @Test func `a writer that outruns its reader is held back until the reader has caught up`() async throws {
        try await onLoop { pinned in
            let (client, server, listener) = try await pinned.pair()
            let loop = pinned.loop
            let total = 64 * 1024 * 1024
            let chunk = [UInt8](repeating: 9, count: 1024 * 1024)
            loop.start {
                for _ in 0..<(total / chunk.count) {
                    client.write(chunk)
                    try? await client.drained()
                    #expect(client.unsentCount <= Networking.Stream.highWaterMark)
                }
                client.setDeadline(loop.soon())
                await client.finish()
            }
            var received = 0
            while try await server.fill() {
                received += server.input.count
                server.consume(server.input.count)
            }
            #expect(received == total)
            server.close()
            listener.close()
        }
    }

    @Test func `a writer whose reader never reads gives up at its deadline`() async throws {
        try await onLoop { pinned in
            let (client, server, listener) = try await pinned.pair()
            client.write([UInt8](repeating: 0, count: 32 * 1024 * 1024))
            client.setDeadline(pinned.loop.now + .milliseconds(50))
            await pinned.expect(.timedOut) { _ in try await client.drained() }
            client.close()
            server.close()
            listener.close()
        }
    }

    @Test func `connecting to a port where nobody listens fails`() async throws {
        try await onLoop { pinned in
            // None that the kernel hands out by itself: it could have given it to another test by now.
            let address = SocketAddress.ip(.v4(0x7F00_0001), port: try freePort())
            await pinned.expect(.system(SystemError("connect", code: ECONNREFUSED))) { pinned in
                _ = try await Networking.Stream.connect(to: address, loop: pinned.loop, deadline: pinned.loop.soon())
            }
        }
    }

    @Test func `no more connections are taken than the budget allows, and one that ends makes room`() async throws {
        try await onLoop { pinned in
            let loop = pinned.loop
            let accepting = try Accepting(loop, limit: 2)
            var clients: [Networking.Stream] = []
            for _ in 0..<3 {
                clients.append(try await .connect(to: accepting.listener.address, loop: loop, deadline: loop.soon()))
            }
            let two = await accepting.accepted(2, on: loop)
            await loop.sleep(for: .milliseconds(50))
            #expect(accepting.streams.withLock { $0.count } == 2)
            #expect(accepting.budget.count == 2)
            two[0].close()
            let three = await accepting.accepted(3, on: loop)
            for stream in clients + three { stream.close() }
            #expect(accepting.budget.count == 0)
            accepting.listener.close()
        }
    }

    @Test func `a flood of connections that are reset leaves nothing behind`() async throws {
        // In a process of its own, where nobody else opens and closes descriptors.
        await #expect(processExitsWith: .success) {
            try await onLoop { pinned in
                let loop = pinned.loop
                let accepting = try Accepting(loop)
                let before = openDescriptors()
                for round in 1...20 {
                    for _ in 0..<50 { resetConnection(to: accepting.listener.address) }
                    let streams = await accepting.accepted(round * 50, on: loop)
                    for stream in streams.suffix(50) {
                        stream.setDeadline(loop.soon())
                        while (try? await stream.fill()) == true { stream.consume(stream.input.count) }
                        stream.close()
                    }
                }
                accepting.streams.withLock { $0 = [] }
                // Dispatch opens a few of its own.
                precondition(openDescriptors() < before + 10)
                precondition(accepting.budget.count == 0)
                accepting.listener.close()
            }
        }
    }

    @Test func `two listeners of two loops share one address`() async throws {
        let first = try EventLoop()
        let second = try EventLoop(index: 1)
        defer {
            first.stop()
            second.stop()
        }
        let one = try await Pinned(first).run { try Accepting($0.loop) }
        let budget = ConnectionBudget(wanted: 10)
        let other = try Listener(one.listener.address, loop: second, budget: budget) { $0.close() }
        #expect(other.address == one.listener.address)
        await Pinned(first).run { _ in one.listener.close() }
        await Pinned(second).run { _ in other.close() }
    }
}

extension Pinned {
    /// Expects `body` to fail so. `#expect(throws:)` would take it off the loop.
    func expect(_ expected: StreamError, _ body: (isolated Pinned) async throws -> Void) async {
        do {
            try await body(self)
            Issue.record("it did not fail")
        } catch {
            #expect(error as? StreamError == expected)
        }
    }

    /// A client and the server's end of the same connection.
    func pair() async throws -> (client: Networking.Stream, server: Networking.Stream, listener: Listener) {
        let accepting = try Accepting(loop)
        let client = try await Networking.Stream.connect(to: accepting.listener.address, loop: loop, deadline: loop.soon())
        let server = await accepting.accepted(1, on: loop)[0]
        server.setDeadline(loop.soon())
        client.setDeadline(loop.soon())
        return (client, server, accepting.listener)
    }
}

/// Connects, sends a few bytes and resets (SO_LINGER 0), blocking.
private func resetConnection(to address: SocketAddress) {
    let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
    _ = address.withSockaddr { connect(descriptor, $0, $1) }
    _ = send(descriptor, "GET ", 4, Int32(MSG_NOSIGNAL))
    var abort = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
    close(descriptor)
}
