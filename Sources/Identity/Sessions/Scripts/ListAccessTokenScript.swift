package import Text

/// Lists one more access token in the record of a session that lives.
///
/// - Key: `session:<sid>`.
/// - Arguments: the token's hash (64 hexadecimal digits); its expiry and the caller's `now` in milliseconds.
/// - Returns 1 when listed, 0 when the session is over: the caller then deletes the token.
package enum ListAccessTokenScript {
    package static let source = """
        local generation = redis.call('HGET', KEYS[1], 'generation')
        if not generation then return 0 end
        local expiry = tonumber(ARGV[2]) + clock(ARGV[3]) - tonumber(ARGV[3])
        redis.call('HSET', KEYS[1], ARGV[1], generation .. ' ' .. string.format('%.0f', expiry))
        return 1
        """

    package static func arguments(_ token: IssuedAccessToken, at now: Timestamp) -> [String] {
        [token.hash.hex, String(token.expiresAt.milliseconds), String(now.milliseconds)]
    }
}
