import Text

/// Remembers that a proof has been used, and says whether it may be.
///
/// - Key: that of the proof.
/// - Arguments, in milliseconds: the caller's `now`; when the proof is refused for its times, which is an instant of its provider's and
///   is not moved; how long after its first use it is taken once more.
/// - Returns 1, or 0 if it was used before that.
package enum AdmitProofScript {
    package static let source = """
        local now = clock(ARGV[1])
        local first = redis.call('GET', KEYS[1])
        if first then return now - tonumber(first) <= tonumber(ARGV[3]) and 1 or 0 end
        redis.call('SET', KEYS[1], string.format('%.0f', now), 'PX', math.max(1000, tonumber(ARGV[2]) - now))
        return 1
        """

    static func arguments(until end: Timestamp, grace: Duration, at now: Timestamp) -> [String] {
        [String(now.milliseconds), String(end.milliseconds), String(grace.wholeMilliseconds)]
    }
}
