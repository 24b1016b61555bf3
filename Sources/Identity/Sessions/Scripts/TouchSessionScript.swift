import Text

/// Marks a cookie session as used and puts off its idle end, if it lives. It only ever extends what is there, so that no touch
/// brings back what a sign-out has ended, in whichever order they arrive.
///
/// - Key: `session:{<sid>}`.
/// - Argument: the caller's `now` in milliseconds.
/// - Returns when the session was used last, in milliseconds. 0 when there is no live cookie session: it has ended, its idle life or its
///   absolute end has come, or there is none.
///
/// The idle life is the session's own.
package enum TouchSessionScript {
    package static let source =
        SessionScript.reading + SessionScript.writing + """
            local key, now = KEYS[1], clock(ARGV[1])
            local value = redis.call('GET', key)
            if not value or is_tombstone(value) then return 0 end
            local session = read_session(value)
            if #session.cookie == 0 then return 0 end
            local idle = struct.unpack('>I6', session.cookie)
            if idle == 0 or now >= session.absolute_end or now >= session.used + idle then return 0 end
            session.used = math.max(session.used, now)
            save_session(key, session, math.min(session.used + idle, session.absolute_end) - now)
            return session.used
            """

    static func arguments(at now: Timestamp) -> [[UInt8]] {
        SessionScript.arguments(now.milliseconds)
    }
}
