import Crypto
package import Redis
import Text

/// Which id tokens have been used: in Redis for as long as they would be accepted, under a hash, never the token itself.
package struct ReplayMemory: Sendable {
    /// How long after its first use a token is taken once more, because the answer may have been lost on the way.
    package static let grace = Duration.seconds(30)

    private static let script = TimedScript(name: "admit_proof", source: AdmitProofScript.source)

    private let redis: RedisConnection
    private let clock: ScriptClock

    /// - Parameter clock: whose time counts.
    package init(redis: RedisConnection, clock: ScriptClock) {
        self.redis = redis
        self.clock = clock
    }

    /// Remembers the token.
    /// - Returns: false if it was used before the grace.
    /// - Throws: the store's failure; then the token may not be taken, since nobody knows.
    func admit(_ proof: VerifiedIDToken, at now: Timestamp) async throws(IdentityError) -> Bool {
        let arguments = AdmitProofScript.arguments(until: Self.end(of: proof), grace: Self.grace, at: now)
        let reply = try await sending { () throws(RedisError) in
            try await redis.run(Self.script[clock], keys: [Self.key(proof)], arguments: arguments.map { [UInt8]($0.utf8) })
        }
        guard let admitted = reply.integerValue else { throw .fault() }
        return admitted == 1
    }

    /// Forgets the token, so that it is good again.
    /// - Throws: the store's failure.
    func forget(_ proof: VerifiedIDToken) async throws(IdentityError) {
        _ = try await sending { () throws(RedisError) in try await redis.send(RedisCommand("DEL", Self.key(proof))) }
    }

    private static func key(_ proof: VerifiedIDToken) -> String {
        "it:" + proof.digest.hex
    }

    /// When the token is refused for its times anyway, whoever's clock is asked.
    private static func end(of proof: VerifiedIDToken) -> Timestamp {
        min(proof.expiresAt, proof.issuedAt.adding(IDTokenCheck.maximumAge)).adding(IDTokenCheck.leeway * 2)
    }
}
