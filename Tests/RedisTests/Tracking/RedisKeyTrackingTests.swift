import Logging
import Networking
import TestSupport
import Testing

@testable import Redis

@Suite(.needsOwnServer, .timeLimit(.minutes(5)))
struct RedisKeyTrackingTests {
    /// Lends what has been heard so far of keys that begin with `a:` or `b:`.
    private func withNews(
        of server: TestRedis, patience: Duration = .seconds(3600), _ body: (Locked<[RedisKeyNews]>) async throws -> Void
    ) async throws {
        let news = Locked<[RedisKeyNews]>([])
        try await whileRunning { loop, resolving in
            RedisKeyTracking(
                server.configuration, prefixes: ["a:", "b:"], patience: patience, loop: loop, resolving: resolving,
                logger: .disabled
            ) { one in news.withLock { $0.append(one) } }
        } _: { _ in
            try await body(news)
        }
    }

    /// The keys that have been heard of, in their order.
    private func keys(_ news: Locked<[RedisKeyNews]>) -> [String] {
        news.value.flatMap { one -> [String] in if case .changed(let keys) = one { keys } else { [] } }
    }

    @Test func `every change of the keys is told, in the order of the commands`() async throws {
        let server = try TestRedis()
        try await withNews(of: server) { news in
            try await eventually { news.value == [.follows] }
            try await withReadyConnection(server.configuration) { redis in
                _ = try await redis.send(RedisCommand("SET", "a:1", "x", "PX", "100000"))
                _ = try await redis.send(RedisCommand("SET", "c:1", "x"))
                _ = try await redis.send(RedisCommand("EVAL", "return redis.call('DEL', KEYS[1])", "1", "a:1"))
                _ = try await redis.send(RedisCommand("SET", "a:2", "x", "PX", "1"))
                // Of one turn those of the first beginning come first.
                _ = try await redis.send([RedisCommand("SET", "b:1", "", "PX", "1"), RedisCommand("SET", "a:3", "x")])
                try await eventually { keys(news).contains("a:3") && keys(news).contains("b:1") }
                let heard = keys(news)
                #expect(heard.first == "a:1" && heard.filter { $0 == "a:1" }.count == 2 && !heard.contains("c:1"))
                #expect(heard.firstIndex(of: "a:3") ?? .max < heard.firstIndex(of: "b:1") ?? 0)
                _ = try await redis.send(RedisCommand("FLUSHALL"))
                try await eventually { news.value.last == .flushed }
            }
        }
    }

    @Test func `a connection that ends is made anew`() async throws {
        let server = try TestRedis()
        try await withNews(of: server) { news in
            try await eventually { news.value == [.follows] }
            try await withReadyConnection(server.configuration) { redis in
                _ = try await redis.send(RedisCommand("CLIENT", "KILL", "TYPE", "pubsub"))
                try await eventually { news.value == [.follows, .lost, .follows] }
                _ = try await redis.send(RedisCommand("SET", "a:1", "x"))
                try await eventually { keys(news) == ["a:1"] }
            }
        }
    }

    @Test func `one that is silent for too long is taken for dead`() async throws {
        let server = try TestRedis()
        try await withNews(of: server, patience: .milliseconds(50)) { news in
            try await eventually { news.value.starts(with: [.follows, .lost, .follows]) }
        }
    }

    @Test func `a server that refuses is asked again, and is told apart`() async throws {
        let server = try TestRedis()
        try server.command("ACL SETUSER default -subscribe")
        try await withNews(of: server) { news in
            try await eventually { news.value.count > 2 }
            #expect(news.value.allSatisfy { $0 == .lost })
            let resolving = BlockingPool(label: "redis-test", threads: 1, queueLimit: 8)
            defer { resolving.stop() }
            let tracking = RedisKeyTracking(
                server.configuration, prefixes: ["a:"], patience: .seconds(1), loop: try SharedLoops.next(), resolving: resolving,
                logger: .disabled
            ) { _ in }
            #expect("\(String(describing: await tracking.refusal()))".contains("NOPERM"))
            try server.command("ACL SETUSER default +subscribe")
            #expect(await tracking.refusal() == nil)
            try await eventually { news.value.last == .follows }
        }
    }
}
