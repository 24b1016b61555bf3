import Text

/// Enters a new session in its user's index and writes its record and its first access token, in one step: whoever ends all sessions of the
/// user finds it, or comes before it.
///
/// - Keys: `session:{<sid>}`; the user's index (`SessionIndex`); then, to have its first access token stored, its own.
/// - Arguments: what the caller takes for the time, by which the session and the token are dated; the idle life and the absolute end in
///   milliseconds; the session's id; the record, with its first access token if there is one; the record of that token and its life in
///   milliseconds.
/// - Returns the outcome's name, the number of sessions in the index, and the time in milliseconds. `begun` when written; `clock` when the caller
///   is mistaken about the time, and nothing is written: it is dated anew; `over` when something is there already, or the absolute end has come:
///   the access token is then not stored.
///
/// The index lives as long as its longest session. Those that are over are dropped from it here; those that ended early by who ends them. One that is
/// left over does no harm.
package enum BeginSessionScript {
    /// How far the caller's time may be behind, in milliseconds, as it is when the way here takes long, and ahead. What comes later the caller has
    /// given up: nothing is to be left of it.
    static let tolerance = (behind: 2_000, ahead: 500)

    package static let source = """
        local key, index, now = KEYS[1], KEYS[2], clock(ARGV[1])
        local behind = now - tonumber(ARGV[1])
        if behind > \(tolerance.behind) or -behind > \(tolerance.ahead) then return { 'clock', 0, now } end
        local rest = tonumber(ARGV[3]) - now
        local life = math.min(tonumber(ARGV[2]), rest)
        if life <= 0 then return { 'over', 0, now } end
        -- First what a full Redis refuses: whatever follows a write it would let pass.
        redis.call('ZADD', index, ARGV[3], ARGV[4])
        rest = rest + \(SessionScript.listingMargin)
        local left, count = redis.call('PTTL', index), 1
        if left < rest then redis.call('PEXPIRE', index, rest) end
        -- One that had no end was not there.
        if left >= 0 then
            redis.call('ZREMRANGEBYSCORE', index, '-inf', now - \(SessionScript.listingMargin))
            count = redis.call('ZCARD', index)
        end
        if not redis.call('SET', key, ARGV[5], 'PX', life, 'NX') then return { 'over', count, now } end
        if KEYS[3] then redis.call('SET', KEYS[3], ARGV[6], 'PX', ARGV[7]) end
        return { 'begun', count, now }
        """

    static func arguments(
        _ session: Session, idle: Duration, accessToken: NewAccessToken?, at now: Timestamp
    ) -> [[UInt8]] {
        let packed = SessionRecord.bytes(of: session, accessToken: accessToken?.issued)
        let arguments = SessionScript.arguments(
            now.milliseconds, idle.wholeMilliseconds, session.absoluteEnd.milliseconds, session.id.bytes, packed)
        guard let accessToken, let record = accessToken.record else { return arguments }
        return arguments + SessionScript.arguments(record, accessToken.issued.life(at: now))
    }

    enum Outcome: String {
        case begun, clock, over
    }
}

/// An access token that has been minted for a session, and what is to be stored of it; nil where somebody else stores it.
struct NewAccessToken {
    let issued: IssuedAccessToken
    let record: [UInt8]?
}
