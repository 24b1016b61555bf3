import Crypto
package import Redis
import Text

/// Which id tokens have been used: in Redis for as long as they would be accepted, under a hash, never the token itself.
package struct ReplayMemory: Sendable {
    /// How long after its first use a token is taken once more, because the answer may have been lost on the way.
    package static let grace = Duration.seconds(30)

    /// Whether a proof may be used.
    package enum Admission: Equatable, Sendable {
        /// For the first time: who asks has made the mark.
        case first
        /// Once more, within the grace.
        case again
        case refused
    }

    private static let script = TimedScript(name: "admit_proof", source: AdmitProofScript.source)
    private static let forgetting = RedisScript(name: "forget_proof", source: ForgetProofScript.source)

    private let redis: RedisConnection
    private let clock: ScriptClock

    /// - Parameter clock: whose time counts.
    package init(redis: RedisConnection, clock: ScriptClock) {
        self.redis = redis
        self.clock = clock
    }

    /// Remembers the token.
    /// - Throws: `ServiceFailure`; then the token may not be taken, since nobody knows.
    func admit(_ proof: VerifiedIDToken, by mark: ReplayMark, at now: Timestamp) async throws(ServiceFailure) -> Admission {
        let arguments = AdmitProofScript.arguments(until: Self.end(of: proof), grace: Self.grace, by: mark, at: now)
        let reply = try await askRedis { () throws(RedisError) in
            try await redis.run(Self.script[clock], keys: [Self.key(proof)], arguments: arguments.map { [UInt8]($0.utf8) })
        }
        switch reply.integerValue {
        case 1: return .first
        case 2: return .again
        case 0: return .refused
        default: throw .fault()
        }
    }

    /// Forgets the token, so that it is good again, if the mark is still the maker's.
    func forget(_ proof: VerifiedIDToken, by mark: ReplayMark) async throws(ServiceFailure) {
        _ = try await askRedis { () throws(RedisError) in
            try await redis.run(Self.forgetting, keys: [Self.key(proof)], arguments: [[UInt8](mark.text.utf8)])
        }
    }

    private static func key(_ proof: VerifiedIDToken) -> String {
        "it:" + proof.digest.hex
    }

    /// When the token is refused for its times anyway, whoever's clock is asked.
    private static func end(of proof: VerifiedIDToken) -> Timestamp {
        min(proof.expiresAt, proof.issuedAt.adding(IDTokenCheck.maximumAge)).adding(IDTokenCheck.leeway * 2)
    }
}

/// Who has made the mark that a proof is used: one request of all. Only the maker may take the mark away, and only as long as nobody else has been let in by
/// the same proof.
package struct ReplayMark: Equatable, Sendable {
    package static let randomByteCount = 8

    /// In decimal digits.
    let text: String

    /// `random` must be `randomByteCount` bytes.
    package init(random: [UInt8]) {
        precondition(random.count == Self.randomByteCount, "a mark is 8 bytes")
        text = String(random.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
