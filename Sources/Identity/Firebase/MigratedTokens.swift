import Crypto
import Redis
import Text

/// Which tokens of the old project have been used, in Redis for as long as they would be good: `it:once:<SHA-256>` has the time of the use in
/// milliseconds, the device, and the session that it has led to. A use that has led to none in time leads to none any more, and the token is
/// good for another: an outage may have let nobody give it back.
struct MigratedTokens: Sendable {
    /// How long a use may take.
    static let useTime = AuthorizationCodeStore.exchangeTime

    /// What asking to use a token comes to.
    enum Outcome: Sendable {
        case first(Mark)
        /// Somebody has, so long ago.
        case again(Use, age: Duration)
    }

    /// Names a use.
    struct Mark: Sendable {
        fileprivate let text: String
    }

    /// A use that has been noted.
    struct Use: Sendable {
        /// Nil for a device that does not name itself, which nothing tells from others.
        let device: String?
        /// Nil while it has led to none.
        let session: SessionID?

        fileprivate init?(_ words: [Substring]) {
            guard (2...3).contains(words.count) else { return nil }
            device = words[1] == Self.unnamed ? nil : String(words[1])
            session = words.count == 3 ? SessionID(words[2]) : nil
        }

        fileprivate static let unnamed = "-"
    }

    /// Keys: the token. Arguments: the time, the device, the token's life, how long a use may take, in milliseconds.
    /// Returns the mark; or what is noted, and the time.
    private static let use = TimedScript(
        name: "use_migrated_token",
        source: """
            local now, note = clock(ARGV[1]), redis.call('GET', KEYS[1])
            local mark = string.format('%.0f %s', now, ARGV[2])
            if not note then
                redis.call('SET', KEYS[1], mark, 'PX', ARGV[3])
                return { mark }
            end
            local time, session = string.match(note, '^(%d+) %S+(.*)$')
            if session ~= '' or now - time <= tonumber(ARGV[4]) then return { note, now } end
            redis.call('SET', KEYS[1], mark, 'KEEPTTL')
            return { mark }
            """)

    /// Keys: the token. Arguments: the time, the mark, the session, how long a use may take, in milliseconds. Returns 1; 0 if that is too late.
    private static let note = TimedScript(
        name: "note_migrated_session",
        source: """
            if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
            if clock(ARGV[1]) - string.match(ARGV[2], '^%d+') > tonumber(ARGV[4]) then return 0 end
            redis.call('SET', KEYS[1], ARGV[2] .. ' ' .. ARGV[3], 'KEEPTTL')
            return 1
            """)

    /// Makes a token good again, if the use is still the one that counts. Keys: the token. Arguments: the mark.
    private static let giveBack = RedisScript(
        name: "give_back_migrated_token",
        source: """
            local note = redis.call('GET', KEYS[1])
            if not note or string.sub(note, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
            return redis.call('DEL', KEYS[1])
            """)

    private let redis: RedisConnection
    private let clock: ScriptClock

    init(redis: RedisConnection, clock: ScriptClock) {
        self.redis = redis
        self.clock = clock
    }

    /// A hash, of the token too; nil for a device that does not name itself.
    static func device(_ caller: Caller, _ token: VerifiedIDToken) -> String? {
        caller.deviceID.map { SHA256.hash("\(name(token))\0\($0.text)").hex }
    }

    /// Uses a token up: of several at once one does.
    /// - Throws: `ServiceFailure`; then it may not be taken, since nobody knows.
    func use(
        _ token: VerifiedIDToken, on device: String?, life: Duration, at now: Timestamp
    ) async throws(ServiceFailure) -> Outcome {
        let arguments = SessionScript.arguments(
            now.milliseconds, Array((device ?? Use.unnamed).utf8), max(1, life.wholeMilliseconds),
            Self.useTime.wholeMilliseconds)
        let reply = try await run(Self.use[clock], token, arguments)
        guard let parts = reply.elements, (1...2).contains(parts.count), let text = parts[0].text else { throw .fault() }
        guard parts.count == 2 else { return .first(Mark(text: text)) }
        let words = text.split(separator: " ")
        guard let use = Use(words), let time = Int64(words[0]), let now = parts[1].integerValue else { throw .fault() }
        return .again(use, age: .milliseconds(now - time))
    }

    /// Notes the session that a use has led to.
    /// - Returns: false when that is too late: then the session must end.
    /// - Throws: `ServiceFailure`; then it must end, too.
    func note(
        _ session: SessionID, of mark: Mark, _ token: VerifiedIDToken, at now: Timestamp
    ) async throws(ServiceFailure) -> Bool {
        let arguments = SessionScript.arguments(
            now.milliseconds, Array(mark.text.utf8), Array(session.text.utf8), Self.useTime.wholeMilliseconds)
        return try await run(Self.note[clock], token, arguments).integerValue == 1
    }

    /// Makes a token good again whose use has led to nothing; of no consequence if it fails.
    func giveBack(_ token: VerifiedIDToken, _ mark: Mark) async {
        _ = try? await run(Self.giveBack, token, [Array(mark.text.utf8)])
    }

    private func run(
        _ script: RedisScript, _ token: VerifiedIDToken, _ arguments: [[UInt8]]
    ) async throws(ServiceFailure) -> RedisReply {
        try await askRedis { () throws(RedisError) in
            try await redis.run(script, keys: ["it:once:\(SHA256.hash(Self.name(token)).hex)"], arguments: arguments)
        }
    }

    private static func name(_ token: VerifiedIDToken) -> String {
        "firebase-migration:\(token.digest.hex)"
    }
}
