import Redis
package import Text

/// Configurations of providers that tests write in the emulator. They are kept for a day, and given back.
extension ProjectAccounts {
    private static let configurationsKey = "emulator:provider-configurations"
    private static let configurationLimit: Int64 = 200

    /// Nil where nobody has written one of that name.
    /// - Throws: `IdentityError.unavailable`.
    package func emulatorConfiguration(_ name: String) async throws(IdentityError) -> JSONObject? {
        try await ask(RedisCommand("HGET", Self.configurationsKey, name)).text.flatMap { try? JSON.parse($0).objectValue }
    }

    /// - Throws: `IdentityError.unavailable`.
    package func emulatorConfigurations() async throws(IdentityError) -> [JSONObject] {
        let replies = try await ask(RedisCommand("HVALS", Self.configurationsKey)).elements ?? []
        return replies.compactMap { $0.text.flatMap { try? JSON.parse($0).objectValue } }
    }

    /// - Returns: whether there is room.
    /// - Throws: `IdentityError.unavailable`.
    package func setEmulator(configuration: JSONObject, of name: String) async throws(IdentityError) -> Bool {
        guard try await ask(RedisCommand("HLEN", Self.configurationsKey)).integerValue ?? 0 < Self.configurationLimit else {
            return false
        }
        var set = RedisCommand("HSET", Self.configurationsKey, name)
        set.append(JSONValue.object(configuration).serialized)
        for command in [set, RedisCommand("EXPIRE", Self.configurationsKey, "86400")] { _ = try await ask(command) }
        return true
    }

    /// - Throws: `IdentityError.unavailable`.
    package func forgetEmulatorConfiguration(_ name: String) async throws(IdentityError) {
        _ = try await ask(RedisCommand("HDEL", Self.configurationsKey, name))
    }

    private func ask(_ command: RedisCommand) async throws(IdentityError) -> RedisReply {
        let redis = accounts.sessions.store.redis
        return try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
    }
}
