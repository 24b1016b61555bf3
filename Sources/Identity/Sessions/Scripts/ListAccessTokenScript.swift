import Text

/// Lists one more access token of a grant in a session that lives.
///
/// - Keys: `session:{<sid>}`, `session:{<sid>}:tokens`.
/// - Arguments: the grant; the token's hash (18 bytes); its expiry and the caller's `now` in milliseconds; how many access tokens a
///   session may have at once.
/// - Returns nil when the session or the grant is over: the caller then deletes the token. Else the hashes of access tokens to delete, because they
///   are too many.
package enum ListAccessTokenScript {
    package static let source =
        SessionScript.reading + SessionScript.writing + SessionScript.grants + SessionScript.listing + """
            local key, now = KEYS[1], clock(ARGV[4])
            local value = redis.call('GET', key)
            if not value or is_tombstone(value) then return false end
            local session = read_session(value)
            local first, after = find_grant(session, tonumber(ARGV[1]))
            if not first then return false end
            local grant = read_grant(session, first, after)
            local expiry = tonumber(ARGV[3]) + now - tonumber(ARGV[4])
            local dead
            session.tokens, dead = list_token(
                session.tokens, KEYS[2], ARGV[2], expiry, grant.generation, grant.number, now, tonumber(ARGV[5]))
            save_session(key, session, expiry - now)
            return dead
            """

    static func arguments(
        _ token: IssuedAccessToken, in grant: GrantID, capacity: Int = SessionScript.capacity, at now: Timestamp
    ) -> [[UInt8]] {
        SessionScript.arguments(
            grant.number, token.hash.bytes, token.expiresAt.milliseconds, now.milliseconds, Int64(capacity))
    }
}

/// Strikes access tokens that have been deleted from the list of their session.
///
/// - Keys: `session:{<sid>}`, `session:{<sid>}:tokens`. Arguments: the hashes.
package enum StrikeAccessTokensScript {
    package static let source =
        SessionScript.reading + SessionScript.writing + SessionScript.tokens + SessionScript.tombstones + """
            local struck = {}
            for _, hash in ipairs(ARGV) do struck[hash] = true end
            for _, name in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
                if struck[string.sub(name, 1, 18)] then redis.call('ZREM', KEYS[2], name) end
            end
            local value = redis.call('GET', KEYS[1])
            if not value then return 0 end
            local ended = is_tombstone(value)
            local holder = ended and read_tombstone(value) or read_session(value)
            local kept = {}
            for position = 1, #holder.tokens, 32 do
                local token = read_token(holder.tokens, position)
                if not struck[token.hash] then kept[#kept + 1] = write_token(token) end
            end
            holder.tokens = table.concat(kept)
            redis.call('SET', KEYS[1], ended and write_tombstone(holder) or write_session(holder), 'KEEPTTL')
            return 1
            """
}
