import Text

/// Ends a session and finishes its end, in one step, if it still is as it was read: a process that is killed leaves nothing undone. What has changed
/// meanwhile is left alone, for `EndSessionScript` and `FinishEndScript`.
///
/// - Keys: `session:{<sid>}`, `session:{<sid>}:tokens`; the user's index; the stream of ends, where it is told of; the access tokens.
/// - Arguments: the record as it was read, empty to repeat an end; the tombstone, and its life in milliseconds; the session's id; 1 if it is told
///   of, else 0, and what `XADD` takes behind the key.
/// - Returns nil if the session has changed, else the id of what was told, or 1.
package enum EndUnchangedSessionScript {
    package static let source =
        RevocationLog.Entry.telling + """
            local key, index, position, told = KEYS[1], KEYS[3], 4, 1
            local value = redis.call('GET', key)
            -- A record lists a few tokens at most; the others have to be read.
            if ARGV[1] ~= '' and (value ~= ARGV[1] or redis.call('ZCARD', KEYS[2]) > 0) then return false end
            if ARGV[5] == '1' then
                told = tell(KEYS[position], { unpack(ARGV, 6) })
                position = position + 1
            end
            if not value or string.byte(value) ~= \(SessionRecord.tombstoneMark) then
                redis.call('SET', key, ARGV[2], 'PX', ARGV[3])
            end
            if KEYS[position] then redis.call('DEL', unpack(KEYS, position)) end
            redis.call('ZREM', index, ARGV[4])
            return told
            """

    /// Those before what `XADD` takes.
    /// - Parameter now: by the clock of the session's instants.
    static func arguments(_ session: Session, reason: SessionEnd, isTold: Bool, at now: Timestamp) -> [[UInt8]] {
        SessionScript.arguments(
            session.record, SessionRecord.tombstone(of: session, reason: reason, at: now),
            session.tombstoneLife(at: now).wholeMilliseconds, session.id.bytes, isTold)
    }
}
