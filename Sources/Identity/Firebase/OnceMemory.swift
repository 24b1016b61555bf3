import Crypto
package import Redis
import Text

/// Remembers in Redis what is good once, for as long as it would be good: `it:once:<SHA-256>`.
package struct OnceMemory: Sendable {
    private let redis: RedisConnection

    package init(redis: RedisConnection) {
        self.redis = redis
    }

    /// Whether this is the first use: of several at once one is.
    /// - Throws: `ServiceFailure`; then it may not be taken, since nobody knows.
    package func admit(_ name: String, life: Duration) async throws(ServiceFailure) -> Bool {
        var command = RedisCommand("SET", Self.key(name), "1", "NX", "GET", "PX")
        command.append(max(1, life.wholeMilliseconds))
        return try await send(command).text == nil
    }

    /// Makes good again what has led to nothing, by whom it was admitted; of no consequence if it fails.
    package func giveBack(_ name: String) async {
        _ = try? await send(RedisCommand("DEL", Self.key(name)))
    }

    private func send(_ command: RedisCommand) async throws(ServiceFailure) -> RedisReply {
        try await askRedis { () throws(RedisError) in try await redis.send(command) }
    }

    private static func key(_ name: String) -> String {
        "it:once:\(SHA256.hash(name).hex)"
    }
}
