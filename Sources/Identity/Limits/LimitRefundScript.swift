package import Text

/// Gives back what one attempt has taken, and remembers who made it.
///
/// No more is given back than what the attempt itself has left there by now: nothing where time has done it, or where the bucket was emptied
/// and is others' since.
///
/// - Keys: one for each bucket; then, if somebody is to be remembered, the sorted set of those who are known, by when they are forgotten.
/// - Arguments: the caller's `now` in milliseconds; how many buckets there are, and for each its interval in microseconds, its count and
///   the mark of the attempt (`LimitScript`); then for how many milliseconds, how many of them at most, and whom to remember.
/// - Returns 1.
package enum LimitRefundScript {
    package static let source = """
        local time, count = clock(ARGV[1]), tonumber(ARGV[2])
        local now = time * 1000
        for i = 1, count do
            local interval, units = tonumber(ARGV[4 * i - 1]), tonumber(ARGV[4 * i])
            local mark, birth = tonumber(ARGV[4 * i + 1]), tonumber(ARGV[4 * i + 2])
            local stored, begun = string.match(redis.call('GET', KEYS[i]) or '', '^(%d+)%.?(%d*)$')
            if stored and (tonumber(begun) or 0) == birth and mark > now then
                local arrival = math.min(math.max(tonumber(stored), now), now + interval * units) - math.min(interval, mark - now)
                if arrival > now then
                    redis.call('SET', KEYS[i], string.format('%d.%d', arrival, birth), 'PX',
                        string.format('%d', math.ceil((arrival - now) / 1000)))
                else
                    redis.call('DEL', KEYS[i])
                end
            end
        end
        local known = KEYS[count + 1]
        if known then
            local life, most = ARGV[4 * count + 3], tonumber(ARGV[4 * count + 4])
            local new = 0
            for i = 4 * count + 5, #ARGV do new = new + redis.call('ZADD', known, time + tonumber(life), ARGV[i]) end
            -- Those who are forgotten are the lowest, so they go first.
            if new > 0 then redis.call('ZREMRANGEBYRANK', known, 0, -most - 1) end
            redis.call('PEXPIRE', known, life)
        end
        return 1
        """

    /// Whom to remember, for how long, among how many.
    package struct Memory: Sendable {
        package let members: [String]
        package let life: Duration
        package let most: Int

        package init(members: [String], life: Duration, most: Int) {
            self.members = members
            self.life = life
            self.most = most
        }
    }

    package static func arguments(
        _ buckets: [(gcra: GCRA, mark: LimitRule.Mark)], _ memory: Memory?, at now: Timestamp
    ) -> [String] {
        var arguments = [String(now.milliseconds), String(buckets.count)]
        for (gcra, mark) in buckets {
            arguments += [gcra.interval, gcra.count, mark.arrival, mark.birth].map { String($0) }
        }
        if let memory { arguments += [String(memory.life.wholeMilliseconds), String(memory.most)] + memory.members }
        return arguments
    }
}
