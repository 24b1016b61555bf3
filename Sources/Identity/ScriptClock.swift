package import Redis
package import Text

/// Whose time it is inside the scripts.
///
/// The copies' clocks may be wrong by any amount, and different. What is in Redis of time is compared only with what another script reads
/// later, so one clock that all copies share makes it right: else a copy that is ahead would forget access tokens that are still
/// good, and nobody could revoke them any more, would end the sessions of cookies early, and would forgive attempts that count.
package enum ScriptClock: Sendable {
    /// That of Redis. Instants that a caller names are moved by as much as the caller's `now` is off.
    case redis
    /// The `now` that comes as an argument, for tests at any hour.
    case callers

    /// Defines `clock(now)`, which takes the caller's `now` and gives the one that counts; both in milliseconds since 1970.
    private var prelude: String {
        switch self {
        case .redis:
            """
            local function clock(_)
                local time = redis.call('TIME')
                return time[1] * 1000 + math.floor(time[2] / 1000)
            end

            """
        case .callers:
            """
            local function clock(now) return tonumber(now) end

            """
        }
    }

    package func script(name: String, source: String, whenFull: Bool = false) -> RedisScript {
        RedisScript(name: self == .redis ? name : name + "_at", source: prelude + source, whenFull: whenFull)
    }
}

/// A script that asks for the time.
struct TimedScript: Sendable {
    private let atRedis: RedisScript
    private let atCallers: RedisScript

    /// - Parameters:
    ///   - source: may call `clock(now)`.
    ///   - whenFull: as `RedisScript` has it.
    init(name: String, source: String, whenFull: Bool = false) {
        atRedis = ScriptClock.redis.script(name: name, source: source, whenFull: whenFull)
        atCallers = ScriptClock.callers.script(name: name, source: source, whenFull: whenFull)
    }

    subscript(clock: ScriptClock) -> RedisScript {
        switch clock {
        case .redis: atRedis
        case .callers: atCallers
        }
    }
}

extension Timestamp {
    /// From the answer to `TIME`: seconds and microseconds. nil if it is none.
    package init?(redisTime reply: RedisReply) {
        guard let parts = reply.elements, parts.count == 2, let seconds = parts[0].integerValue,
            let microseconds = parts[1].integerValue
        else { return nil }
        self = Timestamp(seconds: seconds).adding(.microseconds(microseconds))
    }
}

extension Duration {
    /// Cut to whole milliseconds, as Redis counts; stops at the ends of the representable range.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, sumOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        guard !overflow, !sumOverflow else { return seconds < 0 ? .min : .max }
        return sum
    }
}
