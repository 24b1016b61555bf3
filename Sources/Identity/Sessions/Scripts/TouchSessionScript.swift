package import Text

/// Marks a cookie session as used and puts off its idle end, if it lives. It only ever extends what is there, so that no touch
/// brings back what a sign-out has ended, in whichever order they arrive.
///
/// - Key: `session:<sid>`.
/// - Argument: the caller's `now` in milliseconds.
/// - Returns when the session was used last, in milliseconds: now, or later if an older version's clock was ahead. 0 when there is no
///   live cookie session: it has ended, its idle life or its absolute end has come, or there is none.
///
/// The idle life is the session's own.
package enum TouchSessionScript {
    package static let source = """
        local key, now = KEYS[1], clock(ARGV[1])
        local record = redis.call('HMGET', key, 'ended', 'kind', 'idle', 'absolute_end', 'used')
        local idle, absolute_end, used = tonumber(record[3]), tonumber(record[4]), tonumber(record[5])
        if record[1] or record[2] ~= 'cookie' or not idle or not absolute_end or not used then return 0 end
        if now >= absolute_end or now >= used + idle then return 0 end
        if now > used then
            used = now
            redis.call('HSET', key, 'used', string.format('%.0f', now))
        end
        redis.call('PEXPIRE', key, math.min(used + idle, absolute_end) - now)
        return used
        """

    package static func arguments(at now: Timestamp) -> [String] {
        [String(now.milliseconds)]
    }
}
