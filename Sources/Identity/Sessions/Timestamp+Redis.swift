package import Redis
package import Text

extension Timestamp {
    /// From the answer to `TIME`: seconds and microseconds. nil if it is none.
    package init?(redisTime reply: RedisReply) {
        guard let parts = reply.elements, parts.count == 2, let seconds = parts[0].integerValue,
            let microseconds = parts[1].integerValue
        else { return nil }
        self = Timestamp(seconds: seconds).adding(.microseconds(microseconds))
    }
}
