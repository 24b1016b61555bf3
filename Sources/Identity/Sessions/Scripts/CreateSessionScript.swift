import Text

/// Writes the record of a new session, unless something is there already.
///
/// - Keys: `session:{<sid>}`; then, to have its first access token stored, its own.
/// - Arguments: the caller's `now`, the idle life in milliseconds; the record, with its first access token if there is one; the record of that
///   token and its life in milliseconds.
/// - Returns the time in milliseconds when written. 0 when not: a session that was ended while it began has left a tombstone, which
///   wins, or its absolute end has come. The access token is then not stored.
///
/// The instants of the record are moved by as much as the caller's clock is off, which the caller does too when it knows the time.
package enum CreateSessionScript {
    package static let source =
        SessionScript.record + """
            local key, now = KEYS[1], clock(ARGV[1])
            local lead = now - tonumber(ARGV[1])
            local session = read_session(ARGV[3])
            for _, instant in ipairs({ 'created', 'authenticated', 'absolute_end', 'used' }) do
                session[instant] = session[instant] + lead
            end
            if #session.tokens == 32 then
                session.tokens = string.sub(session.tokens, 1, 18)
                    .. struct.pack('>I6', struct.unpack('>I6', session.tokens, 19) + lead) .. string.sub(session.tokens, 25)
            end
            local life = math.min(tonumber(ARGV[2]), session.absolute_end - now)
            if life <= 0 or not redis.call('SET', key, write_session(session), 'PX', life, 'NX') then return 0 end
            if KEYS[2] then redis.call('SET', KEYS[2], ARGV[4], 'PX', ARGV[5]) end
            return now
            """

    /// - Parameter accessToken: nil for a session that begins without.
    static func arguments(
        _ session: Session, idle: Duration, accessToken: IssuedAccessToken?, record: [UInt8]?, at now: Timestamp
    ) -> [[UInt8]] {
        let packed = SessionRecord.bytes(of: session, accessToken: accessToken)
        let arguments = SessionScript.arguments(now.milliseconds, idle.wholeMilliseconds, packed)
        guard let accessToken, let record else { return arguments }
        return arguments + SessionScript.arguments(record, accessToken.life(at: now))
    }
}
