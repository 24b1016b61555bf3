import Text

/// Remembers that a proof has been used, and says whether it may be.
///
/// What is remembered is the instant of the first use and, after a dot, who made the mark. The second use within the grace takes the maker out:
/// what two have been let in with is given back by nobody.
///
/// - Key: that of the proof.
/// - Arguments, in milliseconds: the caller's `now`; when the proof is refused for its times, which is an instant of its provider's and
///   is not moved; how long after its first use it is taken once more;
///   who makes the mark, in decimal digits.
/// - Returns 1 for the first use, 2 for a repetition within the grace, 0 for any other.
package enum AdmitProofScript {
    package static let source = """
        local now = clock(ARGV[1])
        local first = redis.call('GET', KEYS[1])
        if first then
            if now - tonumber(first) > tonumber(ARGV[3]) then return 0 end
            if string.find(first, '.', 1, true) then redis.call('SET', KEYS[1], string.match(first, '^%d+'), 'KEEPTTL') end
            return 2
        end
        redis.call('SET', KEYS[1], string.format('%.0f.%s', now, ARGV[4]), 'PX', math.max(1000, tonumber(ARGV[2]) - now))
        return 1
        """

    static func arguments(until end: Timestamp, grace: Duration, by mark: ReplayMark, at now: Timestamp) -> [String] {
        [String(now.milliseconds), String(end.milliseconds), String(grace.wholeMilliseconds), mark.text]
    }
}

/// Forgets a proof, if the mark is still that of the one who asks.
///
/// - Key: that of the proof.
/// - Argument: who made the mark.
/// - Returns 1, or 0 if it is not, or no longer, that maker's.
package enum ForgetProofScript {
    package static let source = """
        local first = redis.call('GET', KEYS[1])
        if first and string.match(first, '%.(%d+)$') == ARGV[1] then return redis.call('DEL', KEYS[1]) end
        return 0
        """
}
