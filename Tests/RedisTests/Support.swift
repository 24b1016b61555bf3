import Glibc
import Logging
import Networking
import TestSupport
import Testing

@testable import Redis

extension Trait where Self == ConditionTrait {
    /// For suites that use the shared server.
    static var needsSharedServer: Self { .enabled(if: TestRedis.sharedURL != nil, Comment(rawValue: TestRedis.reason)) }

    /// For suites that start and stop a server of their own.
    static var needsOwnServer: Self { .enabled(if: TestRedis.isAvailable, "there is no redis-server on this machine") }
}

/// What runs as a task of a loop until it is closed.
protocol Running: Sendable {
    func run() async
    func close() async
}

extension RedisConnection: Running {}
extension RedisKeyTracking: Running {}
extension RedisStreamReader: Running {}

/// Runs what `make` makes while `body` has it, and closes it afterwards.
func whileRunning<Part: Running, T: Sendable>(
    _ make: (EventLoop, BlockingPool) -> Part, _ body: (Part) async throws -> T
) async throws -> T {
    let loop = try SharedLoops.next()
    let resolving = BlockingPool(label: "redis-test", threads: 1, queueLimit: 8)
    let part = make(loop, resolving)
    let running = Task(executorPreference: loop) { await part.run() }
    func end() async {
        await part.close()
        await running.value
        resolving.stop()
    }
    do {
        let value = try await body(part)
        await end()
        return value
    } catch {
        await end()
        throw error
    }
}

/// Lends a connection, which is closed afterwards. It is not awaited to be ready.
func withConnection<T: Sendable>(
    _ configuration: RedisConfiguration, recent: RecentWrites? = nil, logger: Logger = .disabled,
    _ body: (RedisConnection) async throws -> T
) async throws -> T {
    try await whileRunning(
        { RedisConnection(configuration, loop: $0, resolving: $1, recent: recent, logger: logger) }, body)
}

/// The same, once it is ready.
func withReadyConnection<T: Sendable>(
    _ configuration: RedisConfiguration, recent: RecentWrites? = nil, _ body: (RedisConnection) async throws -> T
) async throws -> T {
    try await withConnection(configuration, recent: recent) { connection in
        try await eventually { await connection.isReady }
        return try await body(connection)
    }
}

/// Lends a connection to the shared server, and a prefix for keys that no other test uses.
func withSharedServer(_ body: (RedisConnection, String) async throws -> Void) async throws {
    let configuration = try #require(TestRedis.sharedURL.flatMap { RedisConfiguration(url: $0) }).patient
    let prefix = "test:\(String(UInt64.random(in: .min ... .max), radix: 36)):"
    try await withReadyConnection(configuration) { connection in
        try await body(connection, prefix)
        guard let keys = try await connection.send(RedisCommand("KEYS", prefix + "*")).elements, !keys.isEmpty else { return }
        var removal = RedisCommand("DEL")
        for key in keys { removal.append(key.text ?? "") }
        _ = try await connection.send(removal)
    }
}

/// Waits for `condition` to hold, for as long as the test's time limit allows.
func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
}

/// The error of an operation that must fail.
func failure<T>(of operation: () async throws(RedisError) -> T) async -> RedisError? {
    do throws(RedisError) {
        _ = try await operation()
        return nil
    } catch {
        return error
    }
}

extension RedisConnection {
    /// Why a `PING` is not answered; nil when it is.
    func failureOfPing() async -> RedisError? {
        await failure { () throws(RedisError) in try await send(RedisCommand("PING")) }
    }

    /// Sends as many `ECHO`s at once as `values` has, and returns how many answers were not the value that was sent.
    func mismatches(of values: [String]) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for value in values {
                group.addTask(executorPreference: self.loop) {
                    try await self.send(RedisCommand("ECHO", value)) == .bytes([UInt8](value.utf8))
                }
            }
            var mismatches = 0
            for try await isOwn in group where !isOwn { mismatches += 1 }
            return mismatches
        }
    }

    /// How each of `commands`, sent at once, ends.
    func failures(of commands: [RedisCommand]) async -> [RedisError?] {
        await withTaskGroup(of: RedisError?.self) { group in
            for command in commands {
                group.addTask(executorPreference: self.loop) {
                    await failure { () throws(RedisError) in try await self.send(command) }
                }
            }
            var failures: [RedisError?] = []
            for await failure in group { failures.append(failure) }
            return failures
        }
    }

    /// Sets a key and reads it back.
    func reply(toGetAfterSetting key: String, to value: [UInt8]) async throws -> RedisReply {
        var command = RedisCommand("SET", key)
        command.append(value)
        _ = try await send(command)
        return try await send(RedisCommand("GET", key))
    }
}

extension TestRedis {
    /// How to reach this server, with deadlines that a busy machine keeps.
    var configuration: RedisConfiguration { .local(port: port) }
}

extension RedisConfiguration {
    /// A server on the loopback address, with deadlines that a busy machine keeps.
    static func local(port: UInt16) -> RedisConfiguration {
        var configuration = RedisConfiguration(endpoint: .host("127.0.0.1", port: port)).patient
        // Not asked unless a test is about that.
        configuration.roleInterval = .seconds(3600)
        return configuration
    }

    /// The same with deadlines that a busy machine keeps.
    var patient: RedisConfiguration {
        var configuration = self
        configuration.connectTimeout = .seconds(60)
        configuration.commandDeadline = .seconds(60)
        return configuration
    }
}

/// Like `#expect`, which cannot look into values that cannot be copied.
func expect(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}
