package import Text

/// Writes the record of a new session, unless something is there already.
///
/// - Key: `session:<sid>`.
/// - Arguments, all decimal unless said: `now`, the idle life and the absolute end in milliseconds; the hash of the first access
///   token (64 hexadecimal digits, empty for none) and its expiry; then field and value of everything else in the record.
/// - Returns 1 when written. 0 when not: a session that was ended while it began has left a tombstone, which wins, or its
///   absolute end has come. The caller then deletes the access token that it stored.
///
/// The life is passed to Redis as a length, not as an instant, so that its clock need not agree with ours.
package enum CreateSessionScript {
    package static let source = """
        local key = KEYS[1]
        local idle, remaining = tonumber(ARGV[2]), tonumber(ARGV[3]) - tonumber(ARGV[1])
        local life = math.min(idle, remaining)
        if life <= 0 or redis.call('EXISTS', key) == 1 then return 0 end
        redis.call('HSET', key, unpack(ARGV, 6))
        if ARGV[4] ~= '' then
            local expiry = tonumber(ARGV[5]) + clock(ARGV[1]) - tonumber(ARGV[1])
            redis.call('HSET', key, ARGV[4], redis.call('HGET', key, 'generation') .. ' ' .. string.format('%.0f', expiry))
        end
        redis.call('PEXPIRE', key, life)
        return 1
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

    /// The meaning of the reply.
    package enum Outcome: Int64, Sendable {
        case refused = 0
        case created = 1
    }
}
