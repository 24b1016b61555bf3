import Crypto
import Redis
import Text

/// The sessions that a user has begun in a browser at our own pages, in Redis: `browser:<hash>`, a sorted set of session ids by their beginning;
/// and `browser:<sid>`, whose a session was and its salt, so that its cookie still ends those from before when it has expired itself. The
/// cookie names one session only: where two tabs sign in at once, one cookie takes the place of the other, and a session whose user signs in again
/// is left to the clients that have something from it. Of each user by itself: who knows the browser's secret, on a shared machine perhaps, ends
/// nobody else's.
struct BrowserIndex: Sendable {
    /// How many sessions of a user a browser may have; whoever enters one more ends the oldest.
    static let capacity = 16
    /// How many ids it has at most, also while the ends of sessions fail.
    private static let limit = 64

    /// Key: the browser's. Arguments: the session's beginning in milliseconds, its id, how many are remembered, its life in milliseconds.
    /// Returns the ids of all, the oldest first.
    private static let entering = RedisScript(
        name: "enter_browser_session",
        source: """
            redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
            redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[3])
            redis.call('PEXPIRE', KEYS[1], math.max(tonumber(ARGV[4]), redis.call('PTTL', KEYS[1])))
            return redis.call('ZRANGE', KEYS[1], 0, -1)
            """)

    /// Key: the browser's. Argument: a session's id. Returns the ids of those that began with it or before.
    private static let looking = RedisScript(
        name: "look_into_browser",
        source: """
            local began = redis.call('ZSCORE', KEYS[1], ARGV[1])
            return began and redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', began) or {}
            """)

    private let redis: RedisConnection

    init(redis: RedisConnection) {
        self.redis = redis
    }

    /// - Returns: all that the user has there, the oldest first; some of them may be over.
    /// - Throws: the store's failure.
    func enter(_ session: Session, of browser: String) async throws(IdentityError) -> [SessionID] {
        let life = session.absoluteEnd.duration(since: session.createdAt)
        let arguments = SessionScript.arguments(
            session.createdAt.milliseconds, session.id.bytes, Int64(Self.limit), life.wholeMilliseconds)
        let reply = try await mapRedisErrors { () throws(RedisError) in
            try await redis.run(Self.entering, keys: [Self.key(browser, session.userID)], arguments: arguments)
        }
        return try Self.ids(reply)
    }

    /// Remembers whose a session is, beside which there are others.
    /// - Parameter end: when the last of the others is over.
    /// - Throws: the store's failure.
    func keep(_ session: Session, until end: Timestamp) async throws(IdentityError) {
        var command = RedisCommand("SET", Self.key(session.id))
        command.append(session.userID.uuid.bytes + session.salt.bytes)
        command.append("PX")
        command.append(max(1, end.duration(since: session.createdAt).wholeMilliseconds))
        _ = try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
    }

    /// Whose a session was that has expired; nil if nobody has remembered.
    /// - Throws: the store's failure.
    func owner(of id: SessionID) async throws(IdentityError) -> (userID: UserID, salt: SessionSalt)? {
        let reply = try await mapRedisErrors { () throws(RedisError) in try await redis.get(Self.key(id)) }
        guard let bytes = reply, bytes.count == 16 + SessionSalt.byteCount, let uuid = UUID(bytes: Array(bytes.prefix(16))) else {
            return nil
        }
        return (UserID(uuid), SessionSalt(random: Array(bytes.dropFirst(16))))
    }

    /// Some of them may be over.
    /// - Throws: the store's failure.
    func sessions(of browser: String, _ userID: UserID) async throws(IdentityError) -> [SessionID] {
        let reply = try await mapRedisErrors { () throws(RedisError) in
            try await redis.send(RedisCommand("ZRANGE", Self.key(browser, userID), "0", "-1"))
        }
        return try Self.ids(reply)
    }

    /// A session and those that began before it; none where it is not remembered: the browser has signed out since.
    /// - Throws: the store's failure.
    func sessions(
        of browser: String, _ userID: UserID, upTo id: SessionID
    ) async throws(IdentityError) -> [SessionID] {
        let reply = try await mapRedisErrors { () throws(RedisError) in
            try await redis.run(Self.looking, keys: [Self.key(browser, userID)], arguments: [id.bytes])
        }
        return try Self.ids(reply)
    }

    /// Forgets sessions that are over. If it fails, they are forgotten in time.
    func leave(_ ids: [SessionID], of browser: String, _ userID: UserID) async {
        guard !ids.isEmpty else { return }
        var command = RedisCommand("ZREM", Self.key(browser, userID))
        for id in ids { command.append(id.bytes) }
        _ = try? await redis.send([command] + ids.map { RedisCommand("DEL", Self.key($0)) })
    }

    private static func ids(_ reply: RedisReply) throws(IdentityError) -> [SessionID] {
        guard let elements = reply.elements else { throw .fault() }
        return elements.compactMap { element in
            guard case .bytes(let bytes) = element else { return nil }
            return SessionID(bytes: bytes)
        }
    }

    private static func key(_ id: SessionID) -> String {
        "browser:\(id.text)"
    }

    private static func key(_ browser: String, _ userID: UserID) -> String {
        "browser:" + SHA256.hash("\(browser):\(userID)").hex
    }
}
