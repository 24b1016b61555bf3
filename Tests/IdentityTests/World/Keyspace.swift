import Redis
import Text

@testable import Identity

/// All that is in a Redis database.
struct Keyspace: Sendable {
    struct Item: Sendable {
        let key: String
        /// What is left of its life in milliseconds; negative when there is no end.
        let life: Int64
        /// Everything in it, names and values.
        let text: String
        /// Of a string.
        var bytes: [UInt8] = []
    }

    let items: [Item]

    init(_ redis: RedisConnection) async throws {
        var items: [Item] = []
        var cursor = "0"
        repeat {
            let reply = try await redis.send(RedisCommand("SCAN", cursor, "COUNT", "1000")).elements ?? []
            cursor = reply.first?.text ?? "0"
            for key in (reply.last?.elements ?? []).compactMap(\.text) { items.append(try await Self.item(key, redis)) }
        } while cursor != "0"
        self.items = items
    }

    /// The keys that begin so.
    func keys(_ prefix: String) -> [String] {
        items.map(\.key).filter { $0.hasPrefix(prefix) }
    }

    private static func item(_ key: String, _ redis: RedisConnection) async throws -> Item {
        let life = try await redis.send(RedisCommand("PTTL", key)).integerValue ?? -1
        guard case .status(let type) = try await redis.send(RedisCommand("TYPE", key)) else {
            return Item(key: key, life: life, text: "")
        }
        let content: RedisReply =
            switch type {
            case "hash": try await redis.send(RedisCommand("HGETALL", key))
            case "zset": try await redis.send(RedisCommand("ZRANGE", key, "0", "-1", "WITHSCORES"))
            default: try await redis.send(RedisCommand("GET", key))
            }
        if case .bytes(let bytes) = content {
            return Item(key: key, life: life, text: String(decoding: bytes, as: UTF8.self), bytes: bytes)
        }
        let texts = (content.elements ?? [content]).compactMap(\.text)
        return Item(key: key, life: life, text: texts.joined(separator: "\n"))
    }
}

extension Copy {
    func keyspace() async throws -> Keyspace {
        try await Keyspace(parts.redis)
    }

    /// The access tokens of a user that are good, by their keys, whoever holds them.
    func liveTokens(of user: UserID) async throws -> [String] {
        let installation = parts.sessions.issuer.installation
        return try await keyspace().items.filter { item in
            item.key.hasPrefix("at:") && Principal(item.bytes, in: installation)?.user?.userID == user
        }.map(\.key)
    }

    /// Makes everything in Redis so much older.
    func age(by duration: Duration) async throws {
        for item in try await keyspace().items where item.life >= 0 {
            // Redis deletes what has less than nothing left.
            _ = try await parts.redis.send(
                RedisCommand("PEXPIRE", item.key, "\(item.life - duration.wholeMilliseconds)"))
        }
    }

    /// Lets the connections of this Redis touch only the keys that match; for every key again, `*`.
    func permitKeys(_ patterns: String...) async throws {
        var command = RedisCommand("ACL", "SETUSER", "default", "resetkeys")
        for pattern in patterns { command.append("~" + pattern) }
        _ = try await parts.redis.send(command)
    }
}
