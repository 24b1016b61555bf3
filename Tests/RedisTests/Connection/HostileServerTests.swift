import Dispatch
import Networking
import TestSupport
import Testing

@testable import Redis

@Suite("RedisConnection with a hostile or broken server", .timeLimit(.minutes(5)))
struct HostileServerTests {
    @Test(arguments: ["LOADING", "BUSY", "OOM", "MISCONF", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS"])
    func `a server that cannot serve now is unavailable, and stays connected`(kind: String) async throws {
        try await withFakeRedis { peer in
            try peer.greet()
            for answer in ["-\(kind) for some reason\r\n", "+PONG\r\n"] {
                _ = try peer.command()
                try peer.send(answer)
            }
            try peer.waitForEnd()
        } _: { server in
            try await withReadyConnection(server.configuration) { redis in
                #expect(await redis.failureOfPing() == .unavailable)
                #expect(await redis.failureOfPing() == nil)
                #expect(server.connectionCount == 1)
            }
        }
    }

    @Test(arguments: ["READONLY", "NOAUTH", "MOVED", "ASK", "UNBLOCKED"])
    func `a server that has changed its role is unavailable, and connected to anew`(kind: String) async throws {
        try await withFakeRedis { peer in
            try peer.greet()
            while true {
                _ = try peer.command()
                try peer.send(peer.number == 1 ? "-\(kind) 3999 127.0.0.1:6381\r\n" : "+PONG\r\n")
            }
        } _: { server in
            try await withReadyConnection(server.configuration) { redis in
                #expect(await redis.failureOfPing() == .unavailable)
                try await eventually { await redis.failureOfPing() == nil }
                #expect(server.connectionCount == 2)
            }
        }
    }

    @Test(arguments: [
        "*2147483647\r\n", "*1048577\r\n", "*2147483648\r\n", "*-2\r\n", "$-2\r\n", "$99999999999999999999\r\n", "garbage\r\n",
        "HTTP/1.1 200 OK\r\n\r\n", "\0\0\0\0", ":1x\r\n", String(repeating: "*1\r\n", count: 100),
    ])
    func `an answer that is not RESP, or a bomb, ends the connection, and a new one is made`(answer: String) async throws {
        try await expectRecovery { peer in
            try peer.send(answer)
            // The client has to end it.
            try peer.waitForEnd()
        }
    }

    @Test(arguments: ["", "$10\r\nabc", "*2\r\n+a\r\n", "+OK", "*2\r\n$1\r\nx\r\n$5\r\n", "$4\r\nfull\r"])
    func `half an answer and the end fails the command, and a new connection is made`(answer: String) async throws {
        try await expectRecovery { try $0.send(answer) }
        try await expectRecovery { peer in
            try peer.send(answer)
            peer.resetAtEnd()
        }
    }

    @Test func `an answer without end is cut off`() async throws {
        try await expectRecovery { peer in
            try peer.send("$1000000000\r\n")
            let block = String(repeating: "x", count: 1 << 20)
            // Far over the limit for a reply, and over what the kernel's buffers hold.
            for _ in 0..<200 { try peer.send(block) }
        }
    }

    @Test func `half an answer and silence costs the deadline`() async throws {
        try await withFakeRedis { peer in
            try peer.greet()
            while true {
                _ = try peer.command()
                try peer.send(peer.number == 1 ? "$10\r\nabc" : "+PONG\r\n")
            }
        } _: { server in
            var configuration = server.configuration
            configuration.commandDeadline = .milliseconds(100)
            try await withReadyConnection(configuration) { redis in
                #expect(await redis.failureOfPing() == .deadlineExceeded)
                try await eventually { await redis.failureOfPing() == nil }
            }
        }
    }

    @Test func `an answer that nobody has asked for ends the connection`() async throws {
        try await withFakeRedis { peer in
            try peer.greet()
            if peer.number == 1 {
                try peer.send("+SURPRISE\r\n")
            } else {
                _ = try peer.command()
                try peer.send(peer.number == 2 ? "+PONG\r\n+EXTRA\r\n" : "+PONG\r\n")
            }
            try peer.waitForEnd()
        } _: { server in
            try await withConnection(server.configuration) { redis in
                for connections in [2, 3] {
                    try await eventually {
                        // In this order: else the connection that is ready may be the one before.
                        let isThere = server.connectionCount == connections
                        return await redis.isReady && isThere
                    }
                    #expect(try await redis.send(RedisCommand("PING")) == .status("PONG"))
                }
            }
        }
    }

    @Test func `commands wait for the first attempt to connect`() async throws {
        let gate = DispatchSemaphore(value: 0)
        try await withFakeRedis { peer in
            gate.wait()
            try peer.greet()
            while true {
                try peer.send("$1\r\n\(peer.command()[1])\r\n")
            }
        } _: { server in
            try await withConnection(server.configuration) { redis in
                try await eventually { server.connectionCount == 1 }
                async let mismatches = redis.mismatches(of: (0..<10).map { "\($0)" })
                try await eventually { await redis.waitingCount == 10 }
                gate.signal()
                #expect(try await mismatches == 0)
            }
        }
    }

    @Test func `commands do not wait longer than connecting may take`() async throws {
        try await withFakeRedis {
            try $0.waitForEnd()
        } _: { server in
            var configuration = server.configuration
            configuration.connectTimeout = .milliseconds(200)
            try await withConnection(configuration) { redis in
                #expect(
                    await redis.failures(of: Array(repeating: RedisCommand("PING"), count: 10)).allSatisfy { $0 == .unavailable })
            }
        }
    }

    @Test func `commands that wait fail at once when the connection is closed`() async throws {
        let gate = DispatchSemaphore(value: 0)
        try await withFakeRedis { _ in
            // Ends the connection in the end, without ever greeting.
            gate.wait()
        } _: { server in
            try await withConnection(server.configuration) { redis in
                defer { gate.signal() }
                try await eventually { server.connectionCount == 1 }
                async let failures = redis.failures(of: Array(repeating: RedisCommand("PING"), count: 10))
                try await eventually { await redis.waitingCount == 10 }
                await redis.close()
                #expect(await failures == Array(repeating: .unavailable, count: 10))
            }
        }
    }

    @Test func `a server that hangs up over and over is not tried without a pause`() async throws {
        let start = Instant.now()
        try await withFakeRedis {
            try $0.greet()
        } _: { server in
            var configuration = server.configuration
            configuration.backOff = .milliseconds(100)...(.milliseconds(100))
            try await withConnection(configuration) { _ in
                try await eventually { server.connectionCount >= 6 }
            }
        }
        // Five pauses of 50 milliseconds and more, by the clock of a loop that has others to serve, too.
        #expect(Instant.now().since(start) >= .milliseconds(100))
    }

    /// Expects a `PING` to be unavailable when the first connection's answer to it is `answer`, and to work afterwards.
    private func expectRecovery(_ answer: @escaping @Sendable (FakeRedis.Peer) throws -> Void) async throws {
        try await withFakeRedis { peer in
            try peer.greet()
            _ = try peer.command()
            guard peer.number > 1 else { return try answer(peer) }
            try peer.send("+PONG\r\n")
            try peer.waitForEnd()
        } _: { server in
            try await withReadyConnection(server.configuration) { redis in
                #expect(await redis.failureOfPing() == .unavailable)
                try await eventually { await redis.failureOfPing() == nil }
                #expect(server.connectionCount == 2)
            }
        }
    }
}
