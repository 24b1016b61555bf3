package import Redis
import Text

/// The answers to introspection in Redis, under the hash of the access token they speak of. The token itself is never stored.
package struct AccessTokenStore: Sendable {
    private let redis: RedisConnection

    package init(redis: RedisConnection) {
        self.redis = redis
    }

    /// The rendered answer; nil for a token that is unknown, expired or revoked. One `GET`.
    /// - Throws: the store's failure.
    package func record(_ token: AccessTokenHash) async throws(IdentityError) -> [UInt8]? {
        try await mapRedisErrors { () throws(RedisError) in try await redis.get(token.key) }
    }

    /// Stores the answer for as long as the token lives. Value and life are set in one command.
    /// - Throws: the store's failure.
    func store(_ record: [UInt8], for token: AccessTokenHash, life: Duration) async throws(IdentityError) {
        var command = RedisCommand("SET", token.key)
        command.append(record)
        command.append("PX")
        command.append(max(1, life.wholeMilliseconds))
        _ = try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
    }

    /// Makes tokens unknown at once, and so that a failover of Redis does not bring them back.
    /// - Throws: the store's failure; some may be gone then, and the call may be repeated.
    func delete(_ tokens: [AccessTokenHash]) async throws(IdentityError) {
        guard !tokens.isEmpty else { return }
        // One key a command: each may live in a slot of its own.
        try await mapRedisErrors { () throws(RedisError) in
            try await redis.sendLasting(tokens.map { RedisCommand("DEL", $0.key) })
        }
    }
}
