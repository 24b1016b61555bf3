package import Text

/// Counts one attempt in all its buckets, or in none: `LimitRule` in Lua, in one call, so that of five hundred attempts at once no more
/// than the budget pass.
///
/// - Keys: one for each bucket; then, if the caller may be known, the sorted set of those who are, by when they are forgotten.
/// - Arguments: the caller's `now` in milliseconds; its address and device as members of that set, empty for none; then for each bucket its
///   interval in microseconds, its count, and its condition.
/// - Returns two numbers for each bucket: -1 and 0 where the attempt does not count, -2 and the wait where it is refused, else how many
///   are left and when nothing is in use; times in microseconds from now.
///
/// A key lives until its bucket would be unused, so never longer than the budget's period.
package enum LimitScript {
    package static let source = """
        local time, count = clock(ARGV[1]), (#ARGV - 3) / 3
        local now = time * 1000
        local known = KEYS[count + 1]
        local function is_known(member)
            local forgotten = known and member ~= '' and redis.call('ZSCORE', known, member)
            return forgotten and tonumber(forgotten) > time
        end
        local by_address, by_device = is_known(ARGV[2]), is_known(ARGV[3])
        local holds = {
            always = true, stranger = not by_address and not by_device, unknown_device = not by_device,
            known_device = by_device,
        }
        local verdicts, arrivals, allowed = {}, {}, true
        for i = 1, count do
            local left, time = -1, 0
            if holds[ARGV[3 * i + 3]] then
                local interval = tonumber(ARGV[3 * i + 1])
                local window = interval * tonumber(ARGV[3 * i + 2])
                local arrival = tonumber(redis.call('GET', KEYS[i]) or now)
                arrival = math.min(math.max(arrival, now), now + window) + interval
                local over = arrival - now - window
                if over > 0 then
                    left, time, allowed = -2, over, false
                else
                    left, time, arrivals[i] = math.floor(-over / interval), arrival - now, arrival
                end
            end
            verdicts[2 * i - 1], verdicts[2 * i] = left, time
        end
        if allowed then
            for i, arrival in pairs(arrivals) do
                redis.call('SET', KEYS[i], string.format('%.0f', arrival), 'PX', math.ceil((arrival - now) / 1000))
            end
        end
        return verdicts
        """

    /// The caller as members of the set of those who are known.
    package struct Members: Equatable, Sendable {
        package var address = ""
        package var device = ""

        package init(address: String = "", device: String = "") {
            self.address = address
            self.device = device
        }
    }

    package static func arguments(
        _ buckets: [(gcra: GCRA, condition: LimitCondition)], _ members: Members, at now: Timestamp
    ) -> [String] {
        [String(now.milliseconds), members.address, members.device]
            + buckets.flatMap { [String($0.gcra.interval), String($0.gcra.count), $0.condition.rawValue] }
    }

    /// The meaning of the reply; nil when it is none.
    package static func verdicts(_ numbers: [Int64]) -> [LimitRule.Verdict]? {
        guard numbers.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: numbers.count, by: 2).map { index in
            switch numbers[index] {
            case -1: .skipped
            case -2: .refused(wait: numbers[index + 1])
            case let left: .allowed(left: left, reset: numbers[index + 1])
            }
        }
    }
}
