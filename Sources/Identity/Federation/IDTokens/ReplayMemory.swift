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

    private static let script = TimedScript(name: "admit_once", source: AdmitOnceScript.source)
    private static let forgetting = RedisScript(name: "forget_once", source: ForgetOnceScript.source)

    private let redis: RedisConnection
    private let clock: ScriptClock

    /// - Parameter clock: whose time counts.
    package init(redis: RedisConnection, clock: ScriptClock) {
        self.redis = redis
        self.clock = clock
    }

    /// Remembers the token.
    /// - Throws: `ServiceFailure`; then the token may not be taken, since nobody knows.
    func admit(_ verifiedToken: VerifiedIDToken, by mark: ReplayMark, at now: Timestamp) async throws(ServiceFailure) -> Admission
    {
        let arguments = AdmitOnceScript.arguments(until: Self.end(of: verifiedToken), grace: Self.grace, by: mark, at: now)
        let reply = try await askRedis { () throws(RedisError) in
            try await redis.run(
                Self.script[clock], keys: [Self.key(verifiedToken)], arguments: arguments.map { [UInt8]($0.utf8) })
        }
        switch reply.integerValue {
        case 1: return .first
        case 2: return .again
        case 0: return .refused
        default: throw .fault()
        }
    }

    /// Forgets the token, so that it is good again, if the mark is still the maker's.
    func forget(_ verifiedToken: VerifiedIDToken, by mark: ReplayMark) async throws(ServiceFailure) {
        _ = try await askRedis { () throws(RedisError) in
            try await redis.run(Self.forgetting, keys: [Self.key(verifiedToken)], arguments: [[UInt8](mark.text.utf8)])
        }
    }

    private static func key(_ verifiedToken: VerifiedIDToken) -> String {
        "it:" + verifiedToken.digest.hex
    }

    /// When the token is refused for its times anyway, whoever's clock is asked.
    private static func end(of verifiedToken: VerifiedIDToken) -> Timestamp {
        min(verifiedToken.expiresAt, verifiedToken.issuedAt.adding(IDTokenCheck.maximumAge)).adding(IDTokenCheck.leeway * 2)
    }
}

/// Remembers that a proof has been used, and says whether it may be.
///
/// What is remembered is the instant of the first use and, after a dot, who made the mark. The second use within the grace takes the maker out:
/// what two have been let in with is given back by nobody.
///
/// - Key: that of the proof.
/// - Arguments, in milliseconds: the caller's `now`; when the proof is refused for its times, which is an instant of its provider's and
///   is not moved; how long after its first use it is taken once more;
///   who makes the mark, in decimal digits.
/// - Returns 1 for the first use, 2 for a repetition within the grace, 0 for any other.
package enum AdmitOnceScript {
    package static let source = """
        local now = clock(ARGV[1])
        local first = redis.call('GET', KEYS[1])
        if first then
            if now - tonumber(first) > tonumber(ARGV[3]) then return 0 end
            if string.find(first, '.', 1, true) then redis.call('SET', KEYS[1], string.match(first, '^%d+'), 'KEEPTTL') end
            return 2
        end
        redis.call('SET', KEYS[1], string.format('%.0f.%s', now, ARGV[4]), 'PX', math.max(1000, tonumber(ARGV[2]) - now))
        return 1
        """

    static func arguments(until end: Timestamp, grace: Duration, by mark: ReplayMark, at now: Timestamp) -> [String] {
        [String(now.milliseconds), String(end.milliseconds), String(grace.wholeMilliseconds), mark.text]
    }
}

/// Forgets a proof, if the mark is still that of the one who asks.
///
/// - Key: that of the proof.
/// - Argument: who made the mark.
/// - Returns 1, or 0 if it is not, or no longer, that maker's.
package enum ForgetOnceScript {
    package static let source = """
        local first = redis.call('GET', KEYS[1])
        if first and string.match(first, '%.(%d+)$') == ARGV[1] then return redis.call('DEL', KEYS[1]) end
        return 0
        """
}
