import Text

/// Enters a session in its user's index, before the session itself is written.
///
/// That order is what makes "end all sessions" complete: it finds every session that exists or is about to.
///
/// - Key: `user:<the user's id in base64url>`, a sorted set of session ids in 16 bytes, by absolute end.
/// - Arguments: the caller's `now` in milliseconds; the session's id; its absolute end in milliseconds.
/// - Returns two numbers: of sessions in the index, after those that are over have been dropped; the time in milliseconds, by which all of
///   the session is dated from here on.
///
/// The index lives as long as its longest session. Entries of sessions that ended early are removed with `ZREM` by who ends
/// them; one that is left over does no harm.
package enum IndexSessionScript {
    package static let source = """
        local key, now = KEYS[1], clock(ARGV[1])
        local absolute_end = tonumber(ARGV[3]) + now - tonumber(ARGV[1])
        redis.call('ZREMRANGEBYSCORE', key, '-inf', now - \(SessionScript.listingMargin))
        redis.call('ZADD', key, string.format('%.0f', absolute_end), ARGV[2])
        local longest = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')
        redis.call('PEXPIRE', key, tonumber(longest[2]) - now + \(SessionScript.listingMargin))
        return { redis.call('ZCARD', key), now }
        """

    static let prefix = "user:"

    package static func key(_ userID: UserID) -> String {
        prefix + Base64URL.encode(userID.uuid.bytes)
    }

    /// Whose the index of this key is.
    static func owner(_ key: String) -> UserID? {
        guard key.hasPrefix(prefix), let bytes = Base64URL.decode(key.dropFirst(prefix.count)) else { return nil }
        return UUID(bytes: bytes).map { UserID($0) }
    }

    static func arguments(_ session: Session, at now: Timestamp) -> [[UInt8]] {
        SessionScript.arguments(now.milliseconds, session.id.bytes, session.absoluteEnd.milliseconds)
    }
}
