import Redis

/// The sealed access tokens of rotations under the hashes of those tokens, for as long as a rotation may be repeated.
extension SessionStore {
    func keep(
        _ successor: SealedSuccessor, for token: AccessTokenHash, life: Duration
    ) async throws(ServiceFailure) {
        var command = RedisCommand("SET", Self.key(token))
        command.append(successor.bytes)
        command.append("PX")
        command.append(max(1, life.wholeMilliseconds))
        _ = try await askRedis { () throws(RedisError) in try await redis.send(command) }
    }

    func successor(_ token: AccessTokenHash) async throws(ServiceFailure) -> SealedSuccessor? {
        let bytes = try await askRedis { () throws(RedisError) in try await redis.get(Self.key(token)) }
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
