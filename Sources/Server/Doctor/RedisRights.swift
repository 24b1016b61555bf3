import Crypto
import Redis
import Text

/// Every command that the server and its scripts send, tried on keys that nobody has.
///
/// `ACL DRYRUN` would tell without trying, but a user with few rights may not ask it.
enum RedisRights {
    /// By what keys begin with; each tries on a key of its own, which is a string of a few seconds. A command for another type is refused
    /// for that, and then it is allowed.
    static let commands: [(prefix: String, suffix: String, commands: [(name: StaticString, arguments: [String])])] = [
        ("at:", "", [("GET", []), ("DEL", []), ("SADD", ["x"]), ("SMEMBERS", []), ("PEXPIRE", ["1000"])]),
        (
            "session:", "",
            [
                ("GET", []), ("GETRANGE", ["0", "1"]), ("PTTL", []), ("PEXPIRE", ["1000"]), ("ZADD", ["1", "x"]), ("ZCARD", []),
                ("ZRANGE", ["0", "1"]), ("ZREM", ["x"]), ("ZREMRANGEBYSCORE", ["0", "1"]), ("ZSCORE", ["x"]), ("DEL", []),
            ]
        ),
        (
            "client:", "",
            [
                ("EXISTS", []), ("DEL", []), ("ZADD", ["1", "x"]), ("ZCARD", []), ("ZRANGE", ["0", "1"]),
                ("ZREMRANGEBYSCORE", ["0", "1"]), ("ZREMRANGEBYRANK", ["0", "1"]), ("PEXPIRE", ["1000"]),
            ]
        ),
        (
            "user:", "",
            [
                ("ZADD", ["1", "x"]), ("ZCARD", []), ("ZREM", ["x"]), ("ZREMRANGEBYSCORE", ["0", "1"]),
                ("ZREVRANGE", ["0", "1"]), ("PEXPIRE", ["1000"]), ("PTTL", []),
            ]
        ),
        (
            "browser:", "",
            [
                ("ZADD", ["1", "x"]), ("ZRANGE", ["0", "1"]), ("ZREM", ["x"]), ("ZREMRANGEBYRANK", ["0", "1"]), ("PTTL", []),
                ("PEXPIRE", ["1000"]), ("GET", []), ("DEL", []), ("ZSCORE", ["x"]), ("ZRANGEBYSCORE", ["0", "1"]),
            ]
        ),
        ("limit:", "", [("GET", []), ("DEL", []), ("GETEX", ["PX", "1000"])]),
        (
            "limit:known:", "",
            [
                ("ZSCORE", ["x"]), ("ZADD", ["1", "x"]), ("ZREMRANGEBYSCORE", ["0", "1"]), ("ZREMRANGEBYRANK", ["0", "1"]),
                ("PEXPIRE", ["1000"]),
            ]
        ),
        (
            "feed:", "",
            [
                ("XADD", ["*", "x", "y"]), ("XRANGE", ["-", "+"]), ("XREVRANGE", ["+", "-"]), ("PTTL", []),
                ("PEXPIRE", ["1000"]),
            ]
        ),
        ("code:", "", [("GET", []), ("GETDEL", []), ("DEL", [])]),
        (
            "code:typed:", "",
            [
                ("HSET", ["x", "y"]), ("HGET", ["x"]), ("HINCRBY", ["x", "1"]), ("PEXPIRE", ["1000"]), ("PTTL", []), ("DEL", []),
            ]
        ),
        (
            "authcode:", "",
            [
                ("HSET", ["x", "y"]), ("HSETNX", ["x", "y"]), ("HGET", ["x"]), ("HEXISTS", ["x"]), ("HDEL", ["x"]),
                ("EXISTS", []), ("PTTL", []), ("PEXPIRE", ["1000"]), ("DEL", []),
            ]
        ),
        ("par:", "", [("GET", []), ("GETEX", ["PX", "1000"]), ("DEL", [])]),
        (
            "device:", "",
            [
                ("HSET", ["x", "y"]), ("HSETNX", ["x", "y"]), ("HGET", ["x"]), ("HMGET", ["x"]), ("EXISTS", []),
                ("PEXPIRE", ["1000"]), ("DEL", []),
            ]
        ),
        ("device-user:", "", [("GET", [])]), ("used:", "", [("GET", []), ("DEL", [])]),
        ("claims:", "", [("GET", [])]),
        ("authsession:", "", [("GET", []), ("DEL", [])]), ("registration:", "", [("INCR", []), ("PEXPIRE", ["1000"])]),
        ("provider_attempt:", "", [("GET", []), ("DEL", [])]),
        ("audit:", "", [("GET", []), ("INCRBY", ["1"]), ("PEXPIRE", ["1000"])]),
        ("successor:", "", [("GET", [])]), ("it:", "", [("GET", []), ("DEL", [])]),
    ]

    /// What is refused, as `COMMAND prefix`; nil when Redis cannot say.
    static func denied(to redis: RedisConnection) async -> [String]? {
        let id = "doctor-" + Hex.encode(SecureRandom.bytes(16))
        var denied: [String] = []
        for (prefix, suffix, commands) in commands {
            let key = prefix + id + suffix
            guard let maySet = await isAllowed(RedisCommand("SET", key, "", "PX", "5000"), redis) else { return nil }
            // Without that key, others would make one without an end.
            guard maySet else {
                denied.append("SET \(prefix)")
                continue
            }
            for (name, arguments) in commands {
                var command = RedisCommand(name, key)
                for argument in arguments { command.append(argument) }
                guard let isAllowed = await isAllowed(command, redis) else { return nil }
                if !isAllowed { denied.append("\(name) \(prefix)") }
            }
            _ = await isAllowed(RedisCommand("DEL", key), redis)
        }
        for (name, command) in [
            ("TIME", RedisCommand("TIME")), ("SCAN", RedisCommand("SCAN", "0", "COUNT", "1")),
            ("SCRIPT LOAD", RedisCommand("SCRIPT", "LOAD", "return 1")),
            ("XREAD feed:", RedisCommand("XREAD", "COUNT", "1", "STREAMS", "feed:\(id)", "0")),
            ("EVAL", RedisCommand("EVAL", "return 1", "1", "feed:\(id)")),
            ("EVALSHA", RedisCommand("EVALSHA", String(repeating: "0", count: 40), "1", "session:\(id)")),
        ] {
            guard let isAllowed = await isAllowed(command, redis) else { return nil }
            if !isAllowed { denied.append(name) }
        }
        return denied
    }

    /// What is refused of what copies send that remember tokens.
    static func deniedForTracking(to redis: RedisConnection) async -> [String] {
        await isAllowed(RedisCommand("PTTL", "at:doctor"), redis) == false ? ["PTTL at:"] : []
    }

    private static func isAllowed(_ command: RedisCommand, _ redis: RedisConnection) async -> Bool? {
        do throws(RedisError) {
            _ = try await redis.send(command)
            return true
        } catch .refused(let kind) {
            return kind != "NOPERM"
        } catch {
            return nil
        }
    }
}
