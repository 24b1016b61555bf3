import Redis
import Text

/// The sessions that a browser has begun at our own pages, in Redis: `browser:<what is known of its secret>`, a sorted set of session and user ids
/// by their beginning. Its cookie names one session only: where two tabs sign in at once, one cookie takes the place of the other.
struct BrowserIndex: Sendable {
    /// The newest that are remembered: each sign-in ends the session of the cookie, so that more than one is rare.
    private static let capacity = 8

    /// Key: the browser's. Arguments: the session's beginning in milliseconds, its entry, how many are remembered, its life in milliseconds.
    private static let entering = RedisScript(
        name: "enter_browser_session",
        source: """
            redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
            redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[3])
            redis.call('PEXPIRE', KEYS[1], math.max(tonumber(ARGV[4]), redis.call('PTTL', KEYS[1])))
            return 1
            """)

    /// A session that was begun; it may be over.
    struct Entry: Sendable {
        let sessionID: SessionID
        let userID: UserID

        init(_ session: Session) {
            sessionID = session.id
            userID = session.userID
        }

        fileprivate init?(_ bytes: [UInt8]) {
            guard let sessionID = SessionID(bytes: Array(bytes.prefix(SessionID.byteCount))),
                let userID = UUID(bytes: Array(bytes.dropFirst(SessionID.byteCount)))
            else { return nil }
            self.sessionID = sessionID
            self.userID = UserID(userID)
        }

        fileprivate var bytes: [UInt8] { sessionID.bytes + userID.uuid.bytes }
    }

    private let redis: RedisConnection

    init(redis: RedisConnection) {
        self.redis = redis
    }

    /// - Throws: the store's failure.
    func enter(_ session: Session, of browser: String) async throws(IdentityError) {
        let life = session.absoluteEnd.duration(since: session.createdAt)
        let arguments = SessionScript.arguments(
            session.createdAt.milliseconds, Entry(session).bytes, Int64(Self.capacity), life.wholeMilliseconds)
        _ = try await mapRedisErrors { () throws(RedisError) in
            try await redis.run(Self.entering, keys: [Self.key(browser)], arguments: arguments)
        }
    }

    /// - Throws: the store's failure.
    func entries(of browser: String) async throws(IdentityError) -> [Entry] {
        let reply = try await mapRedisErrors { () throws(RedisError) in
            try await redis.send(RedisCommand("ZRANGE", Self.key(browser), "0", "-1"))
        }
        guard let elements = reply.elements else { throw .fault() }
        return elements.compactMap { element in
            guard case .bytes(let bytes) = element else { return nil }
            return Entry(bytes)
        }
    }

    private static func key(_ browser: String) -> String { "browser:" + browser }
}
