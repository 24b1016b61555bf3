import Text

/// Adds a grant to a session that lives, with its first access token, if it has one.
///
/// - Keys: `session:{<sid>}`, `session:{<sid>}:tokens`.
/// - Arguments: the caller's `now` and the idle life in milliseconds; the grant as `SessionRecord` has it; its number; hash (18 bytes) and
///   expiry of the access token, or nothing and 0; how many access tokens a session may have at once.
/// - Returns nil when the session is over: the caller then deletes the token. `full` when it has as many grants as it may, or one of this
///   number. Else the hashes of access tokens to delete, because they are too many.
package enum AddGrantScript {
    package static let source =
        SessionScript.reading + SessionScript.writing + SessionScript.grants + SessionScript.listing + """
            local key, now = KEYS[1], clock(ARGV[1])
            local value, number = redis.call('GET', key), tonumber(ARGV[4])
            if not value or is_tombstone(value) then return false end
            local session = read_session(value)
            local life = math.min(tonumber(ARGV[2]), session.absolute_end - now)
            if life <= 0 then return false end
            local count, position = 0, 1
            while position <= #session.grants do
                count, position = count + 1, position + 2 + struct.unpack('>I2', session.grants, position)
            end
            if count >= \(SessionScript.grantCount) or find_grant(session, number) then return 'full' end
            session.grants = session.grants .. struct.pack('>I2c0', #ARGV[3], ARGV[3])
            session.used = now
            local first, after = find_grant(session, number)
            local generation = read_grant(session, first, after).generation
            local dead = ''
            if #ARGV[5] > 0 then
                local expiry = tonumber(ARGV[6]) + now - tonumber(ARGV[1])
                session.tokens, dead =
                    list_token(session.tokens, KEYS[2], ARGV[5], expiry, generation, number, now, tonumber(ARGV[7]))
            end
            save_session(key, session, life)
            return dead
            """

    static func arguments(
        _ grant: Grant, in session: Session, idle: Duration, accessToken: IssuedAccessToken?, at now: Timestamp
    ) -> [[UInt8]] {
        let hash: [UInt8] = accessToken?.hash.bytes ?? []
        let expiry: Int64 = accessToken?.expiresAt.milliseconds ?? 0
        return SessionScript.arguments(
            now.milliseconds, idle.wholeMilliseconds, grant.packed(in: session.clientID), grant.id.number, hash, expiry,
            Int64(SessionScript.capacity))
    }
}

/// Ends one grant of a session, and leaves the others.
///
/// - Keys: `session:{<sid>}`, `session:{<sid>}:tokens`.
/// - Arguments: the grant's number; the caller's `now` in milliseconds, by which the end is put on record, or 0. For a minute it is remembered in
///   `session:{<sid>}:ended:<number>`, so that whoever repeats a call whose answer was lost makes the same event.
/// - Returns three elements: `ended`; `last` when the session holds nothing else, and nothing has happened: it is to be ended as a whole; `entombed`
///   when the session has ended, perhaps not to the end; `over` when nothing is left of the session or the grant. Then the hashes of the grant's
///   access tokens, to delete; they stay listed until they are struck, so that a repeated call finishes what a failure has left.
///   Then when it ended, if that may have to be put on record, else 0.
package enum EndGrantScript {
    package static let source =
        SessionScript.reading + SessionScript.writing + SessionScript.grants + SessionScript.tokens + """
            local key, number = KEYS[1], tonumber(ARGV[1])
            local value = redis.call('GET', key)
            if not value then return { 'over', '', 0 } end
            if is_tombstone(value) then return { 'entombed', '', 0 } end
            local session = read_session(value)
            local first, after = find_grant(session, number)
            if first == 1 and after == #session.grants + 1 and #session.cookie == 0 then return { 'last', '', 0 } end
            local ending = key .. '\(SessionScript.endedSuffix):' .. ARGV[1]
            local hashes = {}
            for _, token in ipairs(all_tokens(session.tokens, KEYS[2])) do
                if token.grant == number then hashes[#hashes + 1] = token.hash end
            end
            if not first then return { 'over', table.concat(hashes), tonumber(redis.call('GET', ending) or 0) } end
            session.grants = string.sub(session.grants, 1, first - 1) .. string.sub(session.grants, after)
            save_session(key, session, 0)
            if ARGV[2] ~= '0' then redis.call('SET', ending, ARGV[2], 'PX', \(SessionTombstone.standardLife.wholeMilliseconds)) end
            return { 'ended', table.concat(hashes), tonumber(ARGV[2]) }
            """

    package enum Outcome: String, Sendable, CaseIterable {
        case ended, last, entombed, over
    }
}
