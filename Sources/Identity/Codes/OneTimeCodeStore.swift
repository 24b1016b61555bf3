import Crypto
package import Redis
import Text

/// The codes that are out, in Redis: `code:<sha256>` is what a code grants, and `code:<purpose>:<user>` names the one of its kind
/// that counts, so that a newer one makes the older void. Each command touches one key only.
package struct OneTimeCodeStore: Sendable {
    private let redis: RedisConnection

    package init(redis: RedisConnection) {
        self.redis = redis
    }

    /// Makes a code good for `life`, and the last one of its purpose and user void.
    /// - Throws: the store's failure; the code is not to be given out then.
    func issue(_ code: OneTimeCode, _ grant: OneTimeCode.Grant, life: Duration) async throws(IdentityError) {
        let hash = Self.hash(code)
        try await set(Self.key(hash), grant.stored, life: life)
        var command = RedisCommand("SET", Self.pointer(grant.purpose, grant.userID), hash, "PX")
        command.append(max(1, life.wholeMilliseconds))
        command.append("GET")
        let older = try await send(command)
        if let older = older.text, older != hash { _ = try await send(RedisCommand("DEL", Self.key(older))) }
    }

    /// What a code grants; it stays good.
    /// - Throws: `IdentityError.invalidCode`, or the store's failure.
    func look(_ code: OneTimeCode, for purpose: OneTimeCode.Purpose) async throws(IdentityError) -> OneTimeCode.Grant {
        try Self.grant(try await send(RedisCommand("GET", Self.key(Self.hash(code)))), purpose)
    }

    /// Makes the codes of a user void, whatever they are for.
    /// - Throws: the store's failure.
    func void(of userID: UserID) async throws(IdentityError) {
        for purpose in OneTimeCode.Purpose.allCases {
            let pointer = Self.pointer(purpose, userID)
            let last = try await send(RedisCommand("GET", pointer))
            // The pointer last: until it is gone, the whole can be repeated.
            if let last = last.text { _ = try await send(RedisCommand("DEL", Self.key(last))) }
            _ = try await send(RedisCommand("DEL", pointer))
        }
    }

    /// Forgets a code that is void by what it has led to; of no consequence if it fails.
    func forget(_ code: OneTimeCode) async {
        _ = try? await send(RedisCommand("DEL", Self.key(Self.hash(code))))
    }

    private func set(_ key: String, _ value: [UInt8], life: Duration) async throws(IdentityError) {
        var command = RedisCommand("SET", key)
        command.append(value)
        command.append("PX")
        command.append(max(1, life.wholeMilliseconds))
        _ = try await send(command)
    }

    private func send(_ command: RedisCommand) async throws(IdentityError) -> RedisReply {
        try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
    }

    private static func hash(_ code: OneTimeCode) -> String {
        SHA256.hash(code.text.revealedText).hex
    }

    private static func key(_ hash: String) -> String {
        "code:\(hash)"
    }

    private static func pointer(_ purpose: OneTimeCode.Purpose, _ userID: UserID) -> String {
        "code:\(purpose.rawValue):\(userID)"
    }

    private static func grant(
        _ reply: RedisReply, _ purpose: OneTimeCode.Purpose
    ) throws(IdentityError) -> OneTimeCode.Grant {
        guard case .bytes(let bytes) = reply else { throw .invalidCode }
        guard let grant = OneTimeCode.Grant(stored: bytes) else { throw .fault() }
        guard grant.purpose == purpose else { throw .invalidCode }
        return grant
    }
}
