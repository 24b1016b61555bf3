/// Gives the cookies of a session another salt, if the session lives; its other tokens keep theirs.
///
/// - Arguments: `KEYS[1]` is the session's record, `ARGV[1]` the salt.
/// - Returns 1, or 0 when there is no live session.
package enum ChangeCookieScript {
    package static let source = """
        local record = redis.call('HMGET', KEYS[1], 'ended', 'salt')
        if record[1] or not record[2] then return 0 end
        redis.call('HSET', KEYS[1], 'cookie_salt', ARGV[1])
        return 1
        """
}
