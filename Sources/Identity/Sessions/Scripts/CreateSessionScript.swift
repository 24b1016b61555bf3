package import Text

/// Writes the record of a new session, unless something is there already.
///
/// - Key: `session:<sid>`.
/// - Arguments, all decimal unless said: the caller's `now`, the idle life and the absolute end in milliseconds; the hash of the first
///   access token (64 hexadecimal digits, empty for none) and its expiry; then field and value of everything else in the record.
/// - Returns the time in milliseconds when written. 0 when not: a session that was ended while it began has left a tombstone, which
///   wins, or its absolute end has come. The caller then deletes the access token that it stored.
///
/// The instants of the record are moved by as much as the caller's clock is off, which the caller does too when it knows the time.
package enum CreateSessionScript {
    package static let source = """
        local key, now = KEYS[1], clock(ARGV[1])
        local lead = now - tonumber(ARGV[1])
        local idle, remaining = tonumber(ARGV[2]), tonumber(ARGV[3]) - tonumber(ARGV[1])
        local life = math.min(idle, remaining)
        if life <= 0 or redis.call('EXISTS', key) == 1 then return 0 end
        local is_instant = { \(SessionRecord.instants.map { "\($0) = true" }.joined(separator: ", ")) }
        local fields = { unpack(ARGV, 6) }
        for i = 1, #fields, 2 do
            if is_instant[fields[i]] then fields[i + 1] = string.format('%.0f', fields[i + 1] + lead) end
        end
        redis.call('HSET', key, unpack(fields))
        if ARGV[4] ~= '' then
            local expiry = tonumber(ARGV[5]) + lead
            redis.call('HSET', key, ARGV[4], redis.call('HGET', key, 'generation') .. ' ' .. string.format('%.0f', expiry))
        end
        redis.call('PEXPIRE', key, life)
        return now
        """

    package static func key(_ session: Session) -> String {
        SessionRecord.key(session.id)
    }

    /// `accessToken` is `nil` for a cookie session, which has none.
    package static func arguments(
        _ session: Session, idle: Duration, accessToken: IssuedAccessToken?, at now: Timestamp
    ) -> [String] {
        [
            String(now.milliseconds), String(idle.wholeMilliseconds), String(session.absoluteEnd.milliseconds),
            accessToken?.hash.hex ?? "", String(accessToken?.expiresAt.milliseconds ?? 0),
        ] + SessionRecord.fields(of: session)
    }
}
