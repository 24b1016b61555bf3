import Text

/// Renews a session of a cookie, if it lives: the user has proved anew who they are, and the cookie becomes another. What clients have from it stays
/// as it is.
///
/// - Keys: `session:{<sid>}`; the user's index (`SessionIndex`).
/// - Arguments: the caller's `now`, how long ago the proof was given, the cookie's idle life, and the life from now, in milliseconds each; the
///   session's id; its details and its owner, packed; the cookie's salt, and the one that it had, empty for the session's own.
/// - Returns 1, or 0 when there is no live session, or the cookie has become another meanwhile.
///
/// Its end is never sooner than before: a client that has been promised more keeps it.
package enum RenewSessionScript {
    package static let source =
        SessionScript.reading + SessionScript.writing + """
            local key, index, now = KEYS[1], KEYS[2], clock(ARGV[1])
            local value = redis.call('GET', key)
            if not value or is_tombstone(value) then return 0 end
            local session, idle = read_session(value), tonumber(ARGV[3])
            if string.sub(session.cookie, 7) ~= ARGV[9] then return 0 end
            local last = math.max(session.absolute_end, now + tonumber(ARGV[4]))
            redis.call('ZADD', index, last, ARGV[5])
            local rest = last - now + \(SessionScript.listingMargin)
            if redis.call('PTTL', index) < rest then redis.call('PEXPIRE', index, rest) end
            session.head = string.sub(session.head, 1, 39) .. struct.pack('>I6', now - tonumber(ARGV[2]))
            session.absolute_end, session.used, session.details, session.owner = last, now, ARGV[6], ARGV[7]
            session.cookie = struct.pack('>I6', idle) .. ARGV[8]
            save_session(key, session, math.min(idle, last - now))
            return 1
            """

    /// - Parameter proved: the session as it would begin now.
    static func arguments(
        _ proved: Session, in kept: Session, _ lifetime: SessionLifetime, at now: Timestamp
    ) -> [[UInt8]] {
        SessionScript.arguments(
            now.milliseconds, max(0, now.duration(since: proved.authenticatedAt).wholeMilliseconds),
            lifetime.idle.wholeMilliseconds, lifetime.absolute.wholeMilliseconds, kept.id.bytes,
            proved.packedDetails, proved.owner.packed, proved.salt.bytes, kept.cookie?.salt?.bytes ?? [])
    }
}
