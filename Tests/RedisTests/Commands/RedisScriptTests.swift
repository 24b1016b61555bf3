import TestSupport
import Testing

@testable import Redis

@Suite("RedisScript", .needsOwnServer, .timeLimit(.minutes(5)))
struct RedisScriptTests {
    private let server: TestRedis
    private let script = RedisScript(name: "append", source: "return redis.call('APPEND', KEYS[1], ARGV[1])")

    init() throws {
        server = try TestRedis()
    }

    private func append(_ text: String, _ redis: RedisConnection) async throws -> RedisReply {
        try await redis.run(script, keys: ["key"], arguments: [[UInt8](text.utf8)])
    }

    private func callCount(_ command: String, _ redis: RedisConnection) async throws -> Int {
        let statistics = try await redis.send(RedisCommand("INFO", "commandstats")).text ?? ""
        let line = statistics.split(whereSeparator: \.isNewline).first { $0.hasPrefix("cmdstat_\(command):") }
        let calls = line?.split(separator: "=").dropFirst().first?.prefix { $0.isNumber }
        return calls.flatMap { Int($0) } ?? 0
    }

    @Test func `the server is taught a script once and then runs it by its digest`() async throws {
        try await withReadyConnection(server.configuration) { redis async throws in
            for length in 1...5 { #expect(try await append("x", redis) == .integer(Int64(length))) }
            #expect(try await callCount("script|load", redis) == 1)
            #expect(try await callCount("evalsha", redis) == 5)
        }
    }

    @Test func `a server that has forgotten the script is taught it again`() async throws {
        try await withReadyConnection(server.configuration) { redis in
            #expect(try await append("x", redis) == .integer(1))
            for length in 2...4 {
                _ = try await redis.send(RedisCommand("SCRIPT", "FLUSH"))
                #expect(try await append("x", redis) == .integer(Int64(length)))
            }
        }
    }

    @Test func `a server that was started anew is taught it again`() async throws {
        try await withReadyConnection(server.configuration) { redis in
            #expect(try await append("x", redis) == .integer(1))
            server.stop()
            try server.start()
            try await eventually { await redis.failureOfPing() == nil }
            #expect(try await append("x", redis) == .integer(1))
        }
    }

    @Test func `arguments and results are binary-safe`() async throws {
        let echo = RedisScript(name: "echo", source: "return {ARGV[1], KEYS[1], ARGV[2]}")
        try await withReadyConnection(server.configuration) { redis in
            let bytes: [UInt8] = [0, 13, 10, 0xFF, 0x24]
            let reply = try await redis.run(echo, keys: ["k\r\n"], arguments: [bytes, []])
            #expect(reply == .array([.bytes(bytes), .bytes([UInt8]("k\r\n".utf8)), .bytes([])]))
        }
    }

    @Test func `an error that a script answers keeps its kind, and one that it makes is refused`() async throws {
        let refusing = RedisScript(name: "refusing", source: "return redis.error_reply('REUSE of a token')")
        let broken = RedisScript(name: "broken", source: "return nosuchfunction()")
        let malformed = RedisScript(name: "malformed", source: "return (")
        try await withReadyConnection(server.configuration) { redis in
            for (script, kind) in [(refusing, "REUSE"), (broken, "ERR"), (malformed, "ERR")] {
                let error = await failure { () throws(RedisError) in try await redis.run(script, keys: [], arguments: []) }
                #expect(error == .refused(kind: kind))
            }
        }
    }
}
