import Text

/// Ends a session and finishes its end, in one step, if it still is as it was read: a process that is killed leaves nothing undone. What has changed
/// meanwhile is left alone, for `EndSessionScript` and `FinishEndScript`.
///
/// - Keys: `session:{<sid>}`, `session:{<sid>}:tokens`; the user's index; the stream of ends, where it is told of; the access tokens.
/// - Arguments: the record as it was read, empty to repeat an end; the tombstone, and its life in milliseconds; the session's id; the life of the
///   stream in milliseconds, or 0 where nothing is told, and what `XADD` takes behind the key.
/// - Returns nil if the session has changed, else the id of what was told, or 1.
package enum EndUnchangedSessionScript {
    package static let source =
        RevocationLog.Entry.telling + """
            local key, index, life, position, told = KEYS[1], KEYS[3], tonumber(ARGV[5]), 4, 1
            local value = redis.call('GET', key)
            -- A record lists a few tokens at most; the others have to be read.
            if ARGV[1] ~= '' and (value ~= ARGV[1] or redis.call('ZCARD', KEYS[2]) > 0) then return false end
            if life > 0 then
                local stream = KEYS[position]
                position = position + 1
                told = tell(stream, { unpack(ARGV, 6) })
                -- Each time would be a write, and a minute is nothing to its life.
                if redis.call('PTTL', stream) < life - 60000 then redis.call('PEXPIRE', stream, life) end
            end
            if not value or string.byte(value) ~= \(SessionRecord.tombstoneMark) then
                redis.call('SET', key, ARGV[2], 'PX', ARGV[3])
            end
            if KEYS[position] then redis.call('DEL', unpack(KEYS, position)) end
            redis.call('ZREM', index, ARGV[4])
            return told
            """

    /// Those before what `XADD` takes.
    /// - Parameters:
    ///   - life: of the stream.
    ///   - now: by the clock of the session's instants.
    static func arguments(_ session: Session, reason: SessionEnd, life: Int64, at now: Timestamp) -> [[UInt8]] {
        SessionScript.arguments(
            session.record, SessionRecord.tombstone(of: session, reason: reason),
            session.tombstoneLife(at: now).wholeMilliseconds, session.id.bytes, life)
    }
}
