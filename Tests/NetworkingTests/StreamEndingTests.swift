import Glibc
import TestSupport
import Testing

@testable import Networking

@Suite("Stream: its end", .timeLimit(.minutes(5)))
struct StreamEndingTests {
    @Test func `what has come with the end is read before it`() async throws {
        try await onLoop { pinned in
            let (client, server, listener) = try await pinned.pair()
            let sent = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            client.write(sent)
            let loop = pinned.loop
            loop.start { await client.finish() }
            // Both are there before the first read.
            await loop.sleep(for: .milliseconds(20))
            while try await server.fill() {}
            #expect(server.input == sent)
            for _ in 0..<3 {
                let more = try await server.fill()
                #expect(!more)
            }
            server.close()
            listener.close()
        }
    }

    @Test func `a reader learns of a reset`() async throws {
        try await onLoop { pinned in
            let accepting = try Accepting(pinned.loop)
            var client: TestSocket? = try accepting.connect()
            let server = await accepting.accepted(1, on: pinned.loop)[0]
            server.setDeadline(pinned.loop.soon())
            client?.resetAtEnd()
            try client?.send("GET")
            client = nil
            await pinned.expect(.system(SystemError("recv", code: ECONNRESET))) { _ in
                while try await server.fill() {}
            }
            server.close()
            accepting.listener.close()
        }
    }

    @Test func `a writer that waits learns of a reset, and what it writes afterwards is dropped`() async throws {
        try await onLoop { pinned in
            let loop = pinned.loop
            let accepting = try Accepting(loop)
            let client = Locked<TestSocket?>(try accepting.connect())
            let server = await accepting.accepted(1, on: loop)[0]
            server.setDeadline(loop.soon())
            server.write([UInt8](repeating: 0, count: 32 << 20))
            loop.schedule(after: .milliseconds(5)) {
                client.withLock { $0?.resetAtEnd() }
                client.withLock { $0 = nil }
            }
            do throws(StreamError) {
                try await server.drained()
                Issue.record("it was sent to nobody")
            } catch {
                guard case .system = error else { throw error }
            }
            server.write([1, 2, 3])
            #expect(server.unsentCount == 0)
            server.close()
            accepting.listener.close()
        }
    }

    @Test func `closing wakes whoever waits, and whoever comes later`() async throws {
        try await onLoop { pinned in
            let (client, server, listener) = try await pinned.pair()
            client.write([UInt8](repeating: 0, count: 32 << 20))
            pinned.loop.schedule(after: .milliseconds(5)) {
                client.close()
                server.close()
            }
            await pinned.expect(.closed) { _ in try await client.drained(below: 0) }
            // The server's end has been read to where it was closed.
            await pinned.expect(.closed) { _ in while try await server.fill() { server.consume(server.input.count) } }
            await pinned.expect(.closed) { _ in try await client.drained() }
            await pinned.expect(.closed) { _ in _ = try await client.fill() }
            await client.finish()
            client.close()
            listener.close()
        }
    }

    @Test func `a peer that is always a little behind does not make the queue keep what was sent`() async throws {
        try await onLoop { pinned in
            let (client, server, listener) = try await pinned.pair()
            let backlog = 16 << 20
            let chunk = [UInt8](repeating: 1, count: 1 << 20)
            pinned.loop.start {
                while (try? await server.fill()) == true { server.consume(server.input.count) }
                server.close()
            }
            var longest = 0
            for _ in 0..<100 {
                client.write(chunk)
                try await client.drained(below: backlog)
                longest = max(longest, client.output.keptCount)
            }
            #expect(longest <= 2 * (backlog + chunk.count) + Networking.Stream.highWaterMark)
            client.close()
            listener.close()
        }
    }

    @Test func `the end of a stream calls back once`() async throws {
        try await onLoop { pinned in
            let accepting = try Accepting(pinned.loop)
            let client = try accepting.connect()
            let server = await accepting.accepted(1, on: pinned.loop)[0]
            #expect(accepting.budget.count == 1)
            for _ in 0..<3 { server.close() }
            #expect(accepting.budget.count == 0)
            #expect(try client.receiveAll().isEmpty)
            accepting.listener.close()
        }
    }
}

extension Accepting {
    /// Connects a blocking client.
    func connect() throws -> TestSocket {
        guard case .ip(_, let port) = listener.address else { throw SystemError("connect", code: EINVAL) }
        return try TestSocket(connectingTo: port)
    }
}
