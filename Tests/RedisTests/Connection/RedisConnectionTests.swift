import TestSupport
import Testing

@testable import Redis

@Suite("RedisConnection on a shared server", .needsSharedServer, .timeLimit(.minutes(5)))
struct RedisConnectionTests {
    @Test func `each of ten thousand commands at once gets its own answer`() async throws {
        try await withSharedServer { redis, _ async throws in
            let mismatches = try await redis.mismatches(
                of: (0..<10_000).map { "value \($0) \(UInt64.random(in: 0...UInt64.max))" })
            #expect(mismatches == 0)
        }
    }

    @Test(arguments: [
        [], [0], [13, 10], [UInt8]("\r\n$5\r\nhello\r\n".utf8), [UInt8]("*1\r\n$8\r\nFLUSHALL\r\n".utf8),
        [UInt8](UInt8.min...UInt8.max), [UInt8](repeating: 0xFF, count: 1_000_000),
    ])
    func `a value comes back byte for byte`(value: [UInt8]) async throws {
        try await withSharedServer { redis, prefix async throws in
            #expect(try await redis.reply(toGetAfterSetting: prefix + "value", to: value) == .bytes(value))
            #expect(try await redis.get(prefix + "value") == value)
        }
    }

    @Test func `a key may hold any bytes, too`() async throws {
        try await withSharedServer { redis, prefix async throws in
            let key = prefix + "a b\r\n$1\r\n\0ä"
            #expect(try await redis.reply(toGetAfterSetting: key, to: [1]) == .bytes([1]))
            #expect(try await redis.get(prefix + "other") == nil)
        }
    }

    @Test func `a command that Redis refuses says what kind of error it is`() async throws {
        try await withSharedServer { redis, prefix async throws in
            _ = try await redis.send(RedisCommand("LPUSH", prefix + "list", "x"))
            let wrongType = await failure { () throws(RedisError) in try await redis.get(prefix + "list") }
            #expect(wrongType == .refused(kind: "WRONGTYPE"))
            let unknown = await failure { () throws(RedisError) in try await redis.send(RedisCommand("NOSUCHCOMMAND")) }
            #expect(unknown == .refused(kind: "ERR"))
            #expect(await redis.failureOfPing() == nil)
        }
    }

    @Test func `a batch is carried out in order and answered as one`() async throws {
        try await withSharedServer { redis, prefix async throws in
            let commands = (1...500).map { _ in RedisCommand("INCR", prefix + "count") }
            #expect(try await redis.send(commands) == (1...500).map { .integer($0) })
            #expect(try await redis.send([]) == [])
        }
    }

    @Test func `a batch with a refused command fails, and the rest of it is carried out`() async throws {
        try await withSharedServer { redis, prefix async throws in
            let commands = [
                RedisCommand("SET", prefix + "text", "x"), RedisCommand("INCR", prefix + "text"),
                RedisCommand("SET", prefix + "after", "y"),
            ]
            #expect(await failure { () throws(RedisError) in try await redis.send(commands) } == .refused(kind: "ERR"))
            #expect(try await redis.get(prefix + "after") == [UInt8]("y".utf8))
        }
    }

    @Test func `answers larger than a socket's buffers do not hold others up for ever`() async throws {
        try await withSharedServer { redis, prefix in
            let value = [UInt8](repeating: 5, count: 4_000_000)
            _ = try await redis.reply(toGetAfterSetting: prefix + "large", to: value)
            let commands = (0..<20).map { $0.isMultiple(of: 2) ? RedisCommand("GET", prefix + "large") : RedisCommand("PING") }
            let replies = try await redis.send(commands)
            #expect(replies == (0..<20).map { $0.isMultiple(of: 2) ? .bytes(value) : .status("PONG") })
        }
    }
}
