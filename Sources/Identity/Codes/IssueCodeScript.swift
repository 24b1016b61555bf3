import Text

/// Makes a code good, and the last one of its purpose and user void, in one step; where the attempt counts, that first.
///
/// - Keys: `code:<hash>`, `code:<purpose>:<user>`; then one for each budget.
/// - Arguments: the caller's `now` and the code's life in milliseconds; what the code grants; its hash; the budgets as `LimitScript` takes them, if there are any.
/// - Returns what `LimitScript` returns, so nothing without budgets. Where that refuses, nothing changes.
package enum IssueCodeScript {
    package static let source =
        LimitScript.counting + """
            local verdicts, is_allowed = count_attempt(clock(ARGV[1]), 2, ARGV[5] or '', { true })
            if not is_allowed then return verdicts end
            redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[2])
            local older = redis.call('SET', KEYS[2], ARGV[4], 'PX', ARGV[2], 'GET')
            if older and older ~= ARGV[4] then redis.call('DEL', '\(OneTimeCodeStore.prefix)' .. older) end
            return verdicts
            """

    static func arguments(_ grant: OneTimeCode.Grant, hash: String, life: Duration, at now: Timestamp) -> [[UInt8]] {
        SessionScript.arguments(now.milliseconds, max(1, life.wholeMilliseconds), grant.stored, hash)
    }
}
