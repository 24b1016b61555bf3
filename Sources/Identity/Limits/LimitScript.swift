package import Text

/// Counts one attempt in all its buckets, or in none: `LimitRule` in Lua, in one call, so that of five hundred attempts at once no more
/// than the budget pass.
///
/// - Keys: one for each bucket; then, if the caller may be known, the sorted set of those who are, by when they are forgotten.
/// - Arguments: the caller's `now` in milliseconds; its address and device as members of that set, empty for none; then for each bucket its
///   interval in microseconds, its count, and its condition.
/// - Returns four numbers for each bucket: -1 and zeros where the attempt does not count, -2 and the wait where it is refused, else how many
///   are left and when nothing is in use, times in microseconds from now; and the mark, which is an instant in microseconds and one in milliseconds.
///
/// A bucket is its arrival in microseconds, and behind a point when it was begun, in milliseconds, as if that were a fraction.
///
/// A key lives until its bucket would be unused, so never longer than the budget's period.
package enum LimitScript {
    package static let source =
        counting + """
            local time, count = clock(ARGV[1]), (#ARGV - 3) / 3
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
            return (count_attempt(time, 0, 3, count, holds))
            """

    /// The rule itself, for scripts that count an attempt as well. It takes the time in milliseconds; how many keys and how many arguments come
    /// before those of the buckets; how many buckets there are; which conditions hold. It gives the numbers, and whether the attempt is allowed.
    static let counting = """
        local function count_attempt(time, keys, arguments, count, holds)
            local now = time * 1000
            local verdicts, arrivals, births, allowed = {}, {}, {}, true
            for i = 1, count do
                local left, reset, mark, birth, last = -1, 0, 0, 0, arguments + 3 * i
                if holds[ARGV[last]] then
                    local interval = tonumber(ARGV[last - 2])
                    local window = interval * tonumber(ARGV[last - 1])
                    local stored, begun = string.match(redis.call('GET', KEYS[keys + i]) or '', '^(%d+)%.?(%d*)$')
                    local arrival = tonumber(stored or now)
                    birth = arrival > now and (tonumber(begun) or 0) or time
                    arrival = math.min(math.max(arrival, now), now + window) + interval
                    local over = arrival - now - window
                    if over > 0 then
                        left, reset, birth, allowed = -2, over, 0, false
                    else
                        left, reset, mark = math.floor(-over / interval), arrival - now, arrival
                        arrivals[i], births[i] = arrival, birth
                    end
                end
                local position = 4 * i
                verdicts[position - 3], verdicts[position - 2], verdicts[position - 1], verdicts[position] = left, reset, mark, birth
            end
            if allowed then
                for i, arrival in pairs(arrivals) do
                    redis.call('SET', KEYS[keys + i], string.format('%d.%d', arrival, births[i]), 'PX',
                        string.format('%d', math.ceil((arrival - now) / 1000)))
                end
            end
            return verdicts, allowed
        end

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
        guard numbers.count.isMultiple(of: 4) else { return nil }
        return stride(from: 0, to: numbers.count, by: 4).map { index in
            switch numbers[index] {
            case -1: .skipped
            case -2: .refused(wait: numbers[index + 1])
            case let left: .allowed(left: left, reset: numbers[index + 1])
            }
        }
    }

    /// What the attempt has left in each bucket, of a reply that has a meaning.
    package static func marks(_ numbers: [Int64]) -> [LimitRule.Mark] {
        stride(from: 0, to: numbers.count - 3, by: 4).map { LimitRule.Mark(arrival: numbers[$0 + 2], birth: numbers[$0 + 3]) }
    }
}
