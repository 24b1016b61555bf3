import Networking
import Redis

/// What Redis' answers mean for Kidoban, which has the sessions there and nowhere else.
enum RedisChecks {
    /// `GETDEL` is of 6.2; the tests run with 7.0.
    private static let oldestVersion = (6, 2)
    private static let names = [
        "redis-version", "redis-role", "redis-policy", "redis-evictions", "redis-memory", "redis-persistence", "redis-rights",
        "redis-transport",
    ]

    /// - Parameter outcome: nil when it took too long.
    static func findings(of outcome: RedisProbe.Outcome?, _ configuration: RedisConfiguration) -> [Finding] {
        switch outcome {
        case nil: return away("\(configuration) does not answer in time")
        case .away(let reason): return away("\(configuration): \(reason)")
        case .facts(let facts):
            return [
                Finding("redis", .ok, "\(configuration) lets us in"), version(facts), role(facts), policy(facts),
                evictions(facts), memory(facts),
                persistence(facts), rights(facts), transport(configuration),
            ]
        }
    }

    private static func away(_ reason: String) -> [Finding] {
        let remedy = "see that it runs and can be reached from here, and that REDIS_URL has the right address, user and password"
        return [Finding("redis", .problem(remedy), reason)] + names.map { Finding($0, .skipped, "Redis cannot be asked") }
    }

    private static func unknown(_ name: String) -> Finding {
        Finding(name, .skipped, "our user may not ask INFO; look for it with one that may")
    }

    static func version(_ facts: RedisFacts) -> Finding {
        let name = "redis-version"
        guard let text = facts.info["redis_version"] else { return unknown(name) }
        let numbers = text.split(separator: ".").compactMap { Int($0) }
        guard numbers.count >= 2, (numbers[0], numbers[1]) < oldestVersion else { return Finding(name, .ok, text) }
        return Finding(name, .problem("move to Redis 7 or newer"), "\(text) lacks commands that Kidoban needs")
    }

    static func role(_ facts: RedisFacts) -> Finding {
        let name = "redis-role"
        guard let role = facts.info["role"] else { return unknown(name) }
        guard role != "master" else { return Finding(name, .ok, "it takes writes") }
        return Finding(name, .problem("let REDIS_URL lead to the primary"), "it is a replica, which takes no writes")
    }

    static func policy(_ facts: RedisFacts) -> Finding {
        let name = "redis-policy"
        guard let policy = facts.info["maxmemory_policy"] else { return unknown(name) }
        guard policy != "noeviction" else { return Finding(name, .ok, "maxmemory-policy is noeviction") }
        return Finding(
            name, .problem("CONFIG SET maxmemory-policy noeviction, and the same in its configuration file"),
            "maxmemory-policy is \(policy): when memory is short, Redis ends sessions that live")
    }

    static func evictions(_ facts: RedisFacts) -> Finding {
        let name = "redis-evictions"
        guard let count = facts.info["evicted_keys"].flatMap({ Int($0) }) else { return unknown(name) }
        guard count > 0 else { return Finding(name, .ok, "nothing has been evicted since Redis started") }
        let remedy =
            "CONFIG SET maxmemory-policy noeviction, raise maxmemory, run `kidoban sessions prune`, and then CONFIG RESETSTAT; "
            + "docs/operations.md, \"Redis has evicted keys\""
        return Finding(
            name, .problem(remedy),
            "\(count) key(s) evicted since Redis started: sessions that live may be named by no index, and be missed by a sign-out everywhere"
        )
    }

    static func memory(_ facts: RedisFacts) -> Finding {
        let name = "redis-memory"
        guard let used = facts.info["used_memory"].flatMap({ Int($0) }), let limit = facts.info["maxmemory"].flatMap({ Int($0) })
        else { return unknown(name) }
        let remedy = "raise maxmemory, or shorten the lives of sessions and tokens"
        guard limit > 0 else {
            return Finding(
                name, .advice("set maxmemory below what the machine can spare, so that Redis refuses writes before it is killed"),
                "\(used >> 20) MiB used, and maxmemory has no limit")
        }
        let detail = "\(used >> 20) of \(limit >> 20) MiB used"
        switch used * 100 / limit {
        case 95...: return Finding(name, .problem(remedy), detail)
        case 75...: return Finding(name, .advice(remedy), detail)
        default: return Finding(name, .ok, detail)
        }
    }

    static func persistence(_ facts: RedisFacts) -> Finding {
        let name = "redis-persistence"
        guard let log = facts.info["aof_enabled"] else { return unknown(name) }
        guard log == "1" else {
            let remedy = "CONFIG SET appendonly yes, and the same in its configuration file"
            let replicas = facts.info["connected_slaves"].flatMap { Int($0) } ?? 0
            guard replicas == 0 else {
                return Finding(name, .advice(remedy), "no append-only file, but \(replicas) replica(s)")
            }
            return Finding(name, .problem(remedy), "no append-only file and no replica: a restart of Redis signs users out")
        }
        guard facts.info["aof_last_write_status", default: "ok"] == "ok" else {
            return Finding(name, .problem("look at Redis' disk and log"), "the append-only file cannot be written")
        }
        switch facts.appendFsync {
        case "no":
            return Finding(
                name, .advice("CONFIG SET appendfsync everysec"),
                "append-only file, written to disk when the system likes: half a minute of sessions can be lost")
        case "everysec": return Finding(name, .ok, "append-only file, on disk every second")
        case "always": return Finding(name, .ok, "append-only file, on disk with every write")
        default: return Finding(name, .ok, "append-only file; our user may not ask for appendfsync")
        }
    }

    static func rights(_ facts: RedisFacts) -> Finding {
        let name = "redis-rights"
        guard let denied = facts.denied else {
            // A replica does that, and is told apart.
            guard facts.info["role", default: "master"] == "master" else {
                return Finding(name, .skipped, "Redis takes no writes now, so they cannot be tried")
            }
            let remedy =
                "see what redis-cli says to SET: it may be full (OOM), fail to write its file (MISCONF), or lack replicas (NOREPLICAS)"
            return Finding(name, .problem(remedy), "Redis takes no writes now: nobody can sign in or refresh")
        }
        guard !denied.isEmpty else { return Finding(name, .ok, "our user may do what the server does") }
        return Finding(
            name, .problem("allow these commands, on keys that begin so, with ACL SETUSER"),
            "not allowed: " + denied.joined(separator: ", "))
    }

    static func transport(_ configuration: RedisConfiguration) -> Finding {
        let name = "redis-transport"
        if configuration.usesTLS { return Finding(name, .ok, "TLS") }
        switch configuration.endpoint {
        case .unix: return Finding(name, .ok, "this machine, without TLS")
        case .host(let host, _) where IssuerURL.isOnThisMachine("redis://\(host.contains(":") ? "[\(host)]" : host)"):
            return Finding(name, .ok, "this machine, without TLS")
        case .host:
            return Finding(
                name, .advice("use rediss:// in REDIS_URL, unless nobody else can be on that network"),
                "another machine, without TLS")
        }
    }
}
