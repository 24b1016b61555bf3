package import Text

/// Gives back what one attempt has taken, and remembers who made it.
///
/// - Keys: one for each bucket; then, if somebody is to be remembered, the sorted set of those who are known, by when they are forgotten.
/// - Arguments: the caller's `now` in milliseconds; how many buckets there are, and for each its interval in microseconds and its count; then for how
///   many milliseconds, how many of them at most, and whom to remember.
/// - Returns 1.
package enum LimitRefundScript {
    package static let source = """
        local time, count = clock(ARGV[1]), tonumber(ARGV[2])
        local now = time * 1000
        for i = 1, count do
            local arrival = tonumber(redis.call('GET', KEYS[i]) or now)
            local interval = tonumber(ARGV[2 * i + 1])
            arrival = math.min(math.max(arrival, now), now + interval * tonumber(ARGV[2 * i + 2])) - interval
            if arrival > now then
                redis.call('SET', KEYS[i], string.format('%.0f', arrival), 'PX', math.ceil((arrival - now) / 1000))
            else
                redis.call('DEL', KEYS[i])
            end
        end
        local known = KEYS[count + 1]
        if known then
            local life, most = ARGV[2 * count + 3], tonumber(ARGV[2 * count + 4])
            for i = 2 * count + 5, #ARGV do
                redis.call('ZADD', known, time + tonumber(life), ARGV[i])
            end
            redis.call('ZREMRANGEBYSCORE', known, '-inf', time)
            redis.call('ZREMRANGEBYRANK', known, 0, -most - 1)
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

    package static func arguments(_ buckets: [GCRA], _ memory: Memory?, at now: Timestamp) -> [String] {
        var arguments = [String(now.milliseconds), String(buckets.count)]
        for bucket in buckets { arguments += [String(bucket.interval), String(bucket.count)] }
        if let memory { arguments += [String(memory.life.wholeMilliseconds), String(memory.most)] + memory.members }
        return arguments
    }
}
