import Logging
import Networking
import TestSupport
import Testing

@testable import Redis

@Suite(.needsOwnServer, .timeLimit(.minutes(5)))
struct RedisStreamReaderTests {
    private static let key = "stream"

    /// Lends the names of what has been told so far, and how often it was told that there is nothing new.
    private func withNews(of server: TestRedis, _ body: (Locked<[String]>, Locked<Int>) async throws -> Void) async throws {
        let (news, signsOfLife) = (Locked<[String]>([]), Locked(0))
        try await whileRunning { loop, resolving in
            RedisStreamReader(
                server.configuration, key: Self.key, life: .seconds(3600), loop: loop, resolving: resolving, logger: .disabled
            ) { one in
                switch one {
                case .follows: news.withLock { $0.append("follows") }
                case .lost: news.withLock { $0.append("lost") }
                case .entries(let entries): news.withLock { $0 += entries.map { _ in "entry" } }
                case .alive: signsOfLife.withLock { $0 += 1 }
                }
            }
        } _: { _ in
            try await body(news, signsOfLife)
        }
    }

    @Test func `a stream that may not be read gives no sign of life, however often it is found`() async throws {
        let server = try TestRedis()
        try server.command("ACL SETUSER default -xread")
        try await withNews(of: server) { news, signsOfLife in
            try await eventually { news.value.count > 2 }
            #expect(news.value.allSatisfy { $0 == "follows" } && signsOfLife.value == 0)
            try server.command("ACL SETUSER default +xread")
            try await eventually { signsOfLife.value > 0 }
        }
    }

    @Test func `that a stream was emptied is told, also when it has been written to at once`() async throws {
        let server = try TestRedis()
        try await withNews(of: server) { news, _ in
            try await eventually { news.value == ["follows"] }
            try await withReadyConnection(server.configuration) { redis in
                _ = try await redis.send(RedisCommand("XADD", Self.key, "*", "a", "b"))
                try await eventually { news.value == ["follows", "entry"] }
                _ = try await redis.send(RedisCommand("DEL", Self.key))
                try await eventually { news.value == ["follows", "entry", "lost"] }
                // It is told of the new entry as well, unless it happened not to be waiting for one.
                try await eventually { try await redis.send(RedisCommand("CLIENT", "LIST")).text?.contains("flags=b") == true }
                let emptyAndWrite = "redis.call('DEL', KEYS[1]) return redis.call('XADD', KEYS[1], '*', 'a', 'b')"
                _ = try await redis.send(RedisCommand("EVAL", emptyAndWrite, "1", Self.key))
                try await eventually { news.value.count { $0 == "lost" } == 2 }
                _ = try await redis.send(RedisCommand("XADD", Self.key, "*", "a", "b"))
                try await eventually { news.value.last == "entry" }
            }
        }
    }

    /// What a reader has told whose connection a test cuts.
    private struct Told {
        var entries: [RedisStreamID] = []
        var losses = 0
        var signsOfLife = 0
    }

    /// Lends what is told through a proxy, and a connection past it.
    private func withProxy(_ body: (TestProxy, Locked<Told>, RedisConnection) async throws -> Void) async throws {
        let server = try TestRedis()
        let proxy = try TestProxy(to: server.socketPath)
        var configuration = server.configuration
        configuration.endpoint = .unix(path: proxy.path)
        let (proxied, told) = (configuration, Locked(Told()))
        try await whileRunning { loop, resolving in
            RedisStreamReader(
                proxied, key: Self.key, life: .seconds(3600), loop: loop, resolving: resolving, logger: .disabled
            ) { one in
                told.withLock {
                    switch one {
                    case .follows: break
                    case .lost: $0.losses += 1
                    case .entries(let entries): $0.entries += entries.map(\.id)
                    case .alive: $0.signsOfLife += 1
                    }
                }
            }
        } _: { _ in
            try await withReadyConnection(server.configuration) { try await body(proxy, told, $0) }
        }
        proxy.stop()
    }

    /// Writes an entry while the reader waits for one, and has its connection cut after so many pieces.
    private func write(
        cutting proxy: TestProxy, after count: Int, _ told: Locked<Told>, _ redis: RedisConnection
    ) async throws -> RedisStreamID {
        let before = told.value.signsOfLife
        try await eventually { told.value.signsOfLife > before }
        proxy.arm(.cut, after: count)
        let reply = try await redis.send(RedisCommand("XADD", Self.key, "*", "a", "b"))
        try await eventually { proxy.hasFailed }
        return try #require(reply.text.flatMap { RedisStreamID($0) })
    }

    @Test func `an entry is told of once, wherever the connection is cut`() async throws {
        try await withProxy { proxy, told, redis in
            var written: [RedisStreamID] = []
            for count in 0..<6 {
                written.append(try await write(cutting: proxy, after: count, told, redis))
                proxy.heal()
                try await eventually { told.value.entries.contains(written[count]) }
            }
            #expect(told.value.entries == written && told.value.losses == 0)
        }
    }

    @Test func `that entries were lost is told after a cut, though the last one is still there`() async throws {
        try await withProxy { proxy, told, redis in
            let first = try await write(cutting: proxy, after: 3, told, redis)
            proxy.heal()
            _ = try await write(cutting: proxy, after: 1, told, redis)
            #expect(told.value.losses == 0)
            _ = try await redis.send(RedisCommand("XDEL", Self.key, first.description))
            proxy.heal()
            try await eventually { told.value.losses == 1 }
        }
    }
}
