import Logging
import Networking
import TestSupport
import Testing

@testable import Redis

@Suite("RedisConnection after a failover that has lost writes", .needsOwnServer, .timeLimit(.minutes(5)))
struct RedisFailoverTests {
    /// A primary and a replica behind one address, which leads to the primary until it is moved.
    private final class Pair {
        let primary: TestRedis
        let replica: TestRedis
        let address: SilencingProxy

        init(_ options: [String] = []) throws {
            primary = try TestRedis()
            replica = try TestRedis(["--replicaof", "127.0.0.1 \(primary.port)"] + options)
            address = try SilencingProxy(to: primary.port)
        }

        var configuration: RedisConfiguration { .local(port: address.port) }

        /// Waits until the replica has what the primary has.
        func catchUp(_ redis: RedisConnection) async throws {
            try await eventually {
                try await redis.send(RedisCommand("WAIT", "1", "1000")).integerValue == 1
            }
        }

        /// From now on the replica gets nothing any more, and takes the primary's place.
        func promote() throws {
            try replica.command("REPLICAOF NO ONE")
        }

        /// The address leads to the replica.
        func move() {
            address.move(to: replica.port)
        }

        deinit {
            address.stop()
        }
    }

    private static let end = RedisScript(
        name: "end", source: "redis.call('DEL', KEYS[1]) return redis.call('SET', KEYS[1], ARGV[1], 'PX', 60000)")

    private func text(_ key: String, _ redis: RedisConnection) async throws -> String? {
        try await redis.get(key).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `what was ended just before a failover is ended before anything is answered after it`() async throws {
        let pair = try Pair()
        let recent = RecentWrites(window: .seconds(600), limit: 100)
        try await withReadyConnection(pair.configuration, recent: recent) { redis async throws in
            for key in ["at:1", "at:2", "session:1"] { _ = try await redis.send(RedisCommand("SET", key, "alive")) }
            try await pair.catchUp(redis)
            try pair.promote()
            try await redis.sendLasting([LastingWrite(RedisCommand("DEL", "at:1"))])
            _ = try await redis.runLasting(Self.end, keys: ["session:1"], arguments: [[UInt8]("over".utf8)])
            pair.move()
            // The very first answer of the new primary.
            var first: String?
            try await eventually {
                do throws(RedisError) {
                    first = try await redis.get("at:1").map { String(decoding: $0, as: UTF8.self) } ?? "none"
                    return true
                } catch {
                    return false
                }
            }
            #expect(first == "none")
            #expect(try await text("session:1", redis) == "over")
            #expect(try await text("at:2", redis) == "alive")
        }
    }

    @Test func `what one loop has ended is repeated by the connections of all loops`() async throws {
        let pair = try Pair()
        let recent = RecentWrites(window: .seconds(600), limit: 100)
        try await withReadyConnection(pair.configuration, recent: recent) { redis async throws in
            _ = try await redis.send(RedisCommand("SET", "at:1", "alive"))
            try await pair.catchUp(redis)
            try pair.promote()
            try await redis.sendLasting([LastingWrite(RedisCommand("DEL", "at:1"))])
        }
        pair.move()
        try await withReadyConnection(pair.configuration, recent: recent) { redis async throws in
            #expect(try await text("at:1", redis) == nil)
        }
    }

    @Test func `a new primary that takes no writes yet is asked again, and serves meanwhile`() async throws {
        let pair = try Pair(["--min-replicas-to-write", "1"])
        var configuration = pair.configuration
        configuration.roleInterval = .milliseconds(20)
        let recent = RecentWrites(window: .seconds(600), limit: 100)
        try await withReadyConnection(configuration, recent: recent) { redis async throws in
            _ = try await redis.send(RedisCommand("SET", "at:1", "alive"))
            try await pair.catchUp(redis)
            try pair.promote()
            try await redis.sendLasting([LastingWrite(RedisCommand("DEL", "at:1"))])
            pair.move()
            // It lacks a replica. What it has is answered.
            try await eventually { (try? await text("at:1", redis)) == "alive" }
            try pair.replica.command("CONFIG SET min-replicas-to-write 0")
            try await eventually { try await text("at:1", redis) == nil }
        }
    }

    @Test func `only what is recent and within the limit is kept, and what was repeated is recent again`() {
        let start = Instant.now()
        let recent = RecentWrites(window: .seconds(10), limit: 3)
        func keys(_ after: Duration) -> Int { recent.renewed(at: start + after).count }
        for number in 0..<5 { recent.note(RedisCommand("DEL", "at:\(number)"), at: start + .seconds(number)) }
        #expect(keys(.seconds(5)) == 3)
        // All three count as of the fifth second now.
        recent.note(RedisCommand("DEL", "at:5"), at: start + .seconds(15))
        #expect(keys(.seconds(15)) == 3)
        recent.note(RedisCommand("DEL", "at:6"), at: start + .seconds(26))
        #expect(keys(.seconds(26)) == 1)
        // A server that is away for long loses nothing.
        #expect(keys(.seconds(600)) == 1)
        let none = RecentWrites(window: .zero, limit: 3)
        none.note(RedisCommand("DEL", "at:1"), at: start)
        #expect(none.renewed(at: start).isEmpty)
    }
}
