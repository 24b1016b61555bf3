import Text

/// Lists one more access token in the record of a session that lives.
///
/// - Key: `session:<sid>`.
/// - Arguments: the token's hash (64 hexadecimal digits); its expiry in milliseconds.
/// - Returns 1 when listed, 0 when the session is over: the caller then deletes the token.
package enum ListAccessTokenScript {
    package static let source = """
        local generation = redis.call('HGET', KEYS[1], 'generation')
        if not generation then return 0 end
        redis.call('HSET', KEYS[1], ARGV[1], generation .. ' ' .. ARGV[2])
        return 1
        """

    package static func arguments(_ token: IssuedAccessToken) -> [String] {
        [token.hash.hex, String(token.expiresAt.milliseconds)]
    }
}
