import Logging
import Networking
import TestSupport
import Testing

@testable import Redis

@Suite("RedisConnection when the server fails", .needsOwnServer, .timeLimit(.minutes(5)))
struct RedisFaultTests {
    private let server: TestRedis

    init() throws {
        server = try TestRedis()
    }

    @Test func `what is in flight when the server dies fails at once, and the connection comes back with the server`()
        async throws
    {
        try await withReadyConnection(server.configuration) { redis in
            server.pause()
            async let failures = redis.failures(of: (0..<100).map { RedisCommand("ECHO", "\($0)") })
            try await eventually { await redis.inFlightCount == 100 }
            server.stop()
            #expect(await failures == Array(repeating: .unavailable, count: 100))
            #expect(await redis.failureOfPing() == .unavailable)
            try server.start()
            try await eventually { await redis.failureOfPing() == nil }
            #expect(try await redis.mismatches(of: (0..<100).map { "value \($0)" }) == 0)
        }
    }

    @Test func `a server that is started later is found`() async throws {
        server.stop()
        try await withConnection(server.configuration) { redis in
            try await eventually { await redis.failureOfPing() == .unavailable }
            try server.start()
            try await eventually { await redis.failureOfPing() == nil }
        }
    }

    @Test func `a server that stands still costs the deadline, and its late answers reach nobody`() async throws {
        var configuration = server.configuration
        configuration.commandDeadline = .milliseconds(100)
        try await withReadyConnection(configuration) { redis in
            for round in 1...3 {
                server.pause()
                let commands = (0..<100).map { RedisCommand("ECHO", "late \(round) \($0)") }
                let late = await failure { () throws(RedisError) in try await redis.send(commands) }
                #expect(late == .deadlineExceeded)
                server.resume()
                try await eventually { await redis.failureOfPing() == nil }
            }
        }
        // With more patience, so that a busy machine does not look like another fault.
        try await withReadyConnection(server.configuration) { redis async throws in
            #expect(try await redis.mismatches(of: (0..<1000).map { "value \($0)" }) == 0)
        }
    }

    @Test func `no answer is mixed up while the server stops and goes`() async throws {
        var configuration = server.configuration
        configuration.commandDeadline = .milliseconds(30)
        let done = Locked(false)
        try await withReadyConnection(configuration) { redis in
            let asking = Task {
                var (answered, mixedUp) = (0, 0)
                var number = 0
                while !done.value || answered == 0 {
                    number += 1
                    let value = "value \(number)"
                    guard let reply = try? await redis.send(RedisCommand("ECHO", value)) else { continue }
                    if reply == .bytes([UInt8](value.utf8)) { answered += 1 } else { mixedUp += 1 }
                }
                return mixedUp
            }
            for _ in 0..<10 {
                server.pause()
                try await Task.sleep(for: .milliseconds(40))
                server.resume()
                try await Task.sleep(for: .milliseconds(20))
            }
            done.withLock { $0 = true }
            #expect(await asking.value == 0)
        }
    }

    @Test func `more commands than the limit are refused at once, one by one and as a batch`() async throws {
        var configuration = server.configuration
        configuration.inFlightLimit = 10
        try await withReadyConnection(configuration) { redis in
            server.pause()
            async let failures = redis.failures(of: Array(repeating: RedisCommand("PING"), count: 9))
            try await eventually { await redis.inFlightCount == 9 }
            let pair = [RedisCommand("PING"), RedisCommand("PING")]
            #expect(await failure { () throws(RedisError) in try await redis.send(pair) } == .overloaded)
            async let tenth = redis.failureOfPing()
            try await eventually { await redis.inFlightCount == 10 }
            #expect(await redis.failureOfPing() == .overloaded)
            server.resume()
            #expect(await failures == Array(repeating: nil, count: 9))
            #expect(await tenth == nil)
            #expect(await redis.failureOfPing() == nil)
        }
    }

    @Test func `closing fails what is in flight, and everything after it`() async throws {
        try await withReadyConnection(server.configuration) { redis in
            server.pause()
            async let failures = redis.failures(of: Array(repeating: RedisCommand("PING"), count: 5))
            try await eventually { await redis.inFlightCount == 5 }
            await redis.close()
            #expect(await failures == Array(repeating: .unavailable, count: 5))
            #expect(await redis.failureOfPing() == .unavailable)
            #expect(await !redis.isReady)
        }
    }

    @Test func `a connection that was never run has no answer`() async throws {
        let loop = try SharedLoops.next()
        let resolving = BlockingPool(label: "redis-test", threads: 1, queueLimit: 1)
        defer { resolving.stop() }
        let redis = RedisConnection(server.configuration, loop: loop, resolving: resolving, logger: .disabled)
        #expect(await redis.failureOfPing() == .unavailable)
    }
}
