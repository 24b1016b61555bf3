import Crypto
package import Redis
import Text

/// Which id tokens have been used: in Redis for as long as they would be accepted, under a hash, never the token itself.
package struct ReplayMemory: Sendable {
    /// How long after its first use a token is taken once more, because the answer may have been lost on the way.
    package static let grace = Duration.seconds(30)

    private let redis: RedisConnection

    package init(redis: RedisConnection) {
        self.redis = redis
    }

    /// Remembers the token.
    /// - Returns: false if it was used before the grace.
    /// - Throws: the store's failure; then the token may not be taken, since nobody knows.
    func admit(_ proof: VerifiedIDToken, at now: Timestamp) async throws(IdentityError) -> Bool {
        var command = RedisCommand("SET", Self.key(proof), "\(now.milliseconds)", "NX", "PX")
        command.append(Self.life(of: proof, at: now).wholeMilliseconds)
        let set = command
        let reply = try await sending { () throws(RedisError) in try await redis.send(set) }
        guard reply == .null else { return true }
        let record = try await sending { () throws(RedisError) in try await redis.send(RedisCommand("GET", Self.key(proof))) }
        // Gone between the two commands, it is as good as expired.
        guard let first = record.integerValue else { return false }
        return now.duration(since: Timestamp(milliseconds: first)) <= Self.grace
    }

    /// Forgets the token, so that it is good again.
    /// - Throws: the store's failure.
    func forget(_ proof: VerifiedIDToken) async throws(IdentityError) {
        _ = try await sending { () throws(RedisError) in try await redis.send(RedisCommand("DEL", Self.key(proof))) }
    }

    private static func key(_ proof: VerifiedIDToken) -> String {
        "it:" + proof.digest.hex
    }

    /// Until the token is refused for its times anyway, whoever's clock is asked.
    private static func life(of proof: VerifiedIDToken, at now: Timestamp) -> Duration {
        let end = min(proof.expiresAt, proof.issuedAt.adding(IDTokenCheck.maximumAge)).adding(IDTokenCheck.leeway * 2)
        return max(.seconds(1), end.duration(since: now))
    }
}
