import Dispatch
import Glibc
import Networking
import TestSupport
import Testing

@testable import Redis

@Suite("RedisConnection when the primary is another", .needsOwnServer, .timeLimit(.minutes(5)))
struct RedisRoleTests {
    private func curious(
        _ configuration: RedisConfiguration, interval: Duration = .milliseconds(20)
    ) -> RedisConfiguration {
        var configuration = configuration
        configuration.roleInterval = interval
        return configuration
    }

    @Test func `a replica is not connected to before it is promoted`() async throws {
        let server = try TestRedis(["--replicaof", "127.0.0.1 1"])
        try await withConnection(server.configuration) { redis in
            try await eventually { await redis.lastFailure != nil }
            #expect(await redis.failureOfPing() == .unavailable)
            #expect(await "\(String(describing: redis.lastFailure))".contains("the server is a replica"))
            try server.command("REPLICAOF NO ONE")
            try await eventually { await redis.failureOfPing() == nil }
        }
    }

    @Test func `who only looks at a server may look at a replica`() async throws {
        let server = try TestRedis(["--replicaof", "127.0.0.1 1"])
        var configuration = server.configuration
        configuration.acceptsReplica = true
        try await withReadyConnection(configuration) { #expect(await $0.failureOfPing() == nil) }
    }

    @Test(arguments: ["-LOADING", "-MASTERDOWN", "-NOREPLICAS", "-MISCONF", "-NOPERM", "-OOM"])
    func `a server that does not tell its role is connected to`(answer: String) async throws {
        try await withFakeRedis { peer in
            try peer.greet(role: "\(answer) for some reason\r\n")
            _ = try peer.command()
            try peer.send("+PONG\r\n")
        } _: { server in
            try await withReadyConnection(server.configuration) { #expect(await $0.failureOfPing() == nil) }
        }
    }

    @Test func `a connection that is never written to leaves a primary that has become a replica`() async throws {
        let server = try TestRedis()
        try await withReadyConnection(curious(server.configuration)) { redis in
            try server.command("REPLICAOF 127.0.0.1 1")
            try await eventually { await redis.lastFailure != nil }
            #expect(await failure { () throws(RedisError) in try await redis.get("at:revoked") } == .unavailable)
            try server.command("REPLICAOF NO ONE")
            try await eventually { await redis.failureOfPing() == nil }
        }
    }

    @Test func `a primary without replicas is connected to anew again and again, and no command notices`() async throws {
        let server = try TestRedis(["--min-replicas-to-write", "1"])
        // Longer than a command is on its way to a connection, also on a busy machine.
        try await withReadyConnection(curious(server.configuration, interval: .milliseconds(500))) { redis in
            let before = try await redis.connectionsReceived()
            while try await redis.connectionsReceived() < before + 3 {
                #expect(try await redis.mismatches(of: (0..<100).map { "value \($0)" }) == 0)
            }
            let write = await failure { () throws(RedisError) in try await redis.send(RedisCommand("SET", "a", "b")) }
            #expect(write == .unavailable)
        }
    }

    @Test func `a primary that has been replaced is left for the one that the address leads to`() async throws {
        try await withFakeRedis { peer in
            try peer.greet()
            while true {
                let isQuestion = try peer.command()[0] == "SET"
                try peer.send(peer.number > 1 ? "+PONG\r\n" : isQuestion ? "-NOREPLICAS for now\r\n" : "+OLD\r\n")
            }
        } _: { server in
            try await withReadyConnection(curious(server.configuration)) { redis in
                while try await redis.send(RedisCommand("PING")) != .status("PONG") {}
                #expect(server.connectionCount == 2)
            }
        }
    }

    @Test func `what is in flight when a primary is left is answered by it, and what comes then by the next`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let isAsked = Locked(false)
        try await withFakeRedis { peer in
            try peer.greet()
            guard peer.number == 1 else {
                while true {
                    _ = try peer.command()
                    try peer.send("+NEW\r\n")
                }
            }
            #expect(try peer.command()[0] == "SET")
            isAsked.withLock { $0 = true }
            #expect(try peer.command() == ["PING"])
            try peer.send("-NOREPLICAS for now\r\n")
            gate.wait()
            try peer.send("+OLD\r\n")
            try peer.waitForEnd()
        } _: { server in
            var configuration = server.configuration
            configuration.roleInterval = .zero
            try await withReadyConnection(configuration) { redis in
                try await eventually { isAsked.value }
                async let first = redis.send(RedisCommand("PING"))
                try await eventually { await !redis.isReady }
                async let second = redis.send(RedisCommand("PING"))
                try await eventually { await redis.waitingCount == 1 }
                gate.signal()
                let replies = try await [first, second]
                #expect(replies == [.status("OLD"), .status("NEW")])
            }
        }
    }

    @Test func `an answer that lay there while the process stood still reaches nobody`() async throws {
        let isAsked = Locked(false)
        let gate = DispatchSemaphore(value: 0)
        let answered = DispatchSemaphore(value: 0)
        try await withFakeRedis { peer in
            try peer.greet()
            while true {
                _ = try peer.command()
                if peer.number == 1 {
                    isAsked.withLock { $0 = true }
                    gate.wait()
                }
                try peer.send("+PONG\r\n")
                if peer.number == 1 { answered.signal() }
            }
        } _: { server in
            var configuration = server.configuration
            configuration.commandDeadline = .milliseconds(50)
            try await withReadyConnection(configuration) { redis in
                async let failure = redis.failureOfPing()
                try await eventually { isAsked.value }
                await redis.standStill {
                    gate.signal()
                    answered.wait()
                    usleep(100_000)
                }
                #expect(await failure == .deadlineExceeded)
                try await eventually { await redis.failureOfPing() == nil }
            }
        }
    }
}

extension RedisConnection {
    fileprivate func connectionsReceived() async throws -> Int {
        let statistics = try await send(RedisCommand("INFO", "stats")).text ?? ""
        let line = statistics.split(whereSeparator: \.isNewline).first { $0.hasPrefix("total_connections_received:") }
        return line.flatMap { Int($0.drop { $0 != ":" }.dropFirst()) } ?? 0
    }

    /// Does something on the loop that it ought not to: nothing else happens there meanwhile.
    fileprivate func standStill(_ body: () -> Void) {
        body()
    }
}
