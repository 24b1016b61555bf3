package import Text

/// Counts one attempt in all its buckets, or in none: `LimitRule` in Lua, in one call, so that of five hundred attempts at once no more
/// than the budget pass.
///
/// - Keys: one for each bucket; then, if the caller may be known, the sorted set of those who are, by when they are forgotten.
/// - Arguments: the caller's `now` in milliseconds; its address and device as members of that set, empty for none; the buckets, each with its
///   interval in microseconds (7 bytes), its count (6) and its condition (1).
/// - Returns four numbers of eight bytes for each bucket: -1 and zeros where the attempt does not count, -2 and the wait where it is refused, else how
///   many are left and when nothing is in use, times in microseconds from now; and the mark, which is an instant in microseconds and one in milliseconds.
///
/// A bucket is its arrival in microseconds, and behind a point when it was begun, in milliseconds, as if that were a fraction.
///
/// A key lives until its bucket would be unused, so never longer than the budget's period.
package enum LimitScript {
    /// Bytes of a bucket among the arguments.
    private static let bucketSize = 14

    package static let source =
        counting + """
            local time, count = clock(ARGV[1]), #ARGV[4] / \(bucketSize)
            local known = KEYS[count + 1]
            local function is_known(member)
                local forgotten = known and member ~= '' and redis.call('ZSCORE', known, member)
                return forgotten and tonumber(forgotten) > time
            end
            local by_address, by_device = is_known(ARGV[2]), is_known(ARGV[3])
            return (count_attempt(time, 0, ARGV[4], { true, not by_address and not by_device, not by_device, by_device }))
            """

    /// The rule itself, for scripts that count an attempt as well. It takes the time in milliseconds; how many keys come before those of the
    /// buckets; the buckets; which conditions hold, in the order of their numbers. It gives the numbers, and whether the attempt is allowed.
    /// It calls itself for the next bucket: what is written of one depends on all.
    static let counting = """
        local function count_attempt(time, keys, buckets, holds, number, is_refused)
            number = number or 1
            if #buckets < \(bucketSize) * number then return '', not is_refused end
            local interval, units, condition = struct.unpack('>I7I6I1', buckets, \(bucketSize) * number - \(bucketSize - 1))
            local now, left, reset, mark, birth = time * 1000, -1, 0, 0, 0
            if holds[condition] then
                local arrival, window, stored = now, interval * units, redis.call('GET', KEYS[keys + number])
                birth = time
                if stored then
                    local point = string.find(stored, '.', 1, true) or #stored + 1
                    arrival = tonumber(string.sub(stored, 1, point - 1)) or now
                    if arrival > now then birth = tonumber(string.sub(stored, point + 1)) or 0 else arrival = now end
                    if arrival > now + window then arrival = now + window end
                end
                local over = arrival + interval - now - window
                if over > 0 then
                    left, reset, birth, is_refused = -2, over, 0, true
                else
                    mark = arrival + interval
                    left, reset = math.floor(-over / interval), mark - now
                end
            end
            local others, is_allowed = count_attempt(time, keys, buckets, holds, number + 1, is_refused)
            if is_allowed and mark > 0 then
                redis.call('SET', KEYS[keys + number], string.format('%d.%d', mark, birth), 'PX',
                    string.format('%d', math.ceil(reset / 1000)))
            end
            return struct.pack('>i8i8i8i8', left, reset, mark, birth) .. others, is_allowed
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
    ) -> [[UInt8]] {
        [String(now.milliseconds), members.address, members.device].map { Array($0.utf8) } + [packed(buckets)]
    }

    /// As `counting` takes them.
    static func packed(_ buckets: [(gcra: GCRA, condition: LimitCondition)]) -> [UInt8] {
        var writer = PackedWriter(capacity: bucketSize * buckets.count)
        for (gcra, condition) in buckets {
            writer.number(gcra.interval, 7)
            writer.number(gcra.count, 6)
            writer.number(condition.rawValue, 1)
        }
        return writer.bytes
    }

    /// What is to be said of each bucket, and what the attempt has left there; nil when it is no reply.
    package static func verdicts(_ reply: [UInt8]) -> [(LimitRule.Verdict, LimitRule.Mark)]? {
        guard reply.count.isMultiple(of: 32) else { return nil }
        var reader = PackedReader(reply)
        return (0..<reply.count / 32).map { _ in
            let (left, reset, arrival, birth) = (reader.signed(), reader.signed(), reader.signed(), reader.signed())
            let mark = LimitRule.Mark(arrival: arrival, birth: birth)
            return switch left {
            case -1: (.skipped, mark)
            case -2: (.refused(wait: reset), mark)
            default: (.allowed(left: left, reset: reset), mark)
            }
        }
    }
}

extension PackedReader {
    fileprivate mutating func signed() -> Int64 { Int64(bitPattern: number(8)) }
}
