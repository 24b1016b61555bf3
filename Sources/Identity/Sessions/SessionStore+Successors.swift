import Redis

/// The sealed access tokens of rotations under the hashes of those tokens, for as long as a rotation may be repeated.
extension SessionStore {
    /// - Throws: the store's failure.
    func keep(
        _ successor: SealedSuccessor, for token: AccessTokenHash, life: Duration
    ) async throws(IdentityError) {
        var command = RedisCommand("SET", Self.key(token))
        command.append(successor.bytes)
        command.append("PX")
        command.append(max(1, life.wholeMilliseconds))
        _ = try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
    }

    /// - Throws: the store's failure.
    func successor(_ token: AccessTokenHash) async throws(IdentityError) -> SealedSuccessor? {
        let bytes = try await mapRedisErrors { () throws(RedisError) in try await redis.get(Self.key(token)) }
        return bytes.map { SealedSuccessor(stored: $0) }
    }

    /// For one that nobody will ask for; a failure does no harm.
    func forgetSuccessor(_ token: AccessTokenHash) async {
        _ = try? await redis.send(RedisCommand("DEL", Self.key(token)))
    }

    private static func key(_ token: AccessTokenHash) -> String {
        "successor:\(token.text)"
    }
}
