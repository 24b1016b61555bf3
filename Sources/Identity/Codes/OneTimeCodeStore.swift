import Crypto
package import Redis
import Text

/// The codes that are out, in Redis: `code:<sha256>` is what a code grants, and `code:<purpose>:<user>` names the one of its kind
/// that counts, so that a newer one makes the older void.
package struct OneTimeCodeStore: Sendable {
    static let prefix = "code:"

    private let redis: RedisConnection

    private static let issue = TimedScript(name: "issue_code", source: IssueCodeScript.source)

    package init(redis: RedisConnection) {
        self.redis = redis
    }

    /// Makes a code good for `life`, and the last one of its purpose and user void.
    /// - Parameter charge: what is counted in the same step; where that is refused, nothing is issued.
    /// - Returns: what `LimitScript` says of the budgets.
    /// - Throws: the store's failure; the code is not to be given out then.
    @discardableResult
    func issue(
        _ code: OneTimeCode, _ grant: OneTimeCode.Grant, life: Duration, counting charge: Limiter.Charge? = nil,
        _ system: SystemContext
    ) async throws(IdentityError) -> [UInt8] {
        let hash = Self.hash(code)
        let keys = [Self.key(hash), Self.pointer(grant.purpose, grant.userID)] + (charge?.keys ?? [])
        let arguments =
            IssueCodeScript.arguments(grant, hash: hash, life: life, at: system.now()) + (charge.map { [$0.packed] } ?? [])
        let reply = try await mapRedisErrors { () throws(RedisError) in
            try await redis.run(Self.issue[system.scriptClock], keys: keys, arguments: arguments)
        }
        guard case .bytes(let verdicts) = reply else { throw .fault() }
        return verdicts
    }

    /// What a code grants; it stays good.
    /// - Throws: `IdentityError.invalidCode`, or the store's failure.
    func look(_ code: OneTimeCode, for purpose: OneTimeCode.Purpose) async throws(IdentityError) -> OneTimeCode.Grant {
        try Self.grant(try await send(RedisCommand("GET", Self.key(Self.hash(code)))), purpose)
    }

    /// What a code grants, whatever it is for; it stays good.
    /// - Throws: `IdentityError.invalidCode`, or the store's failure.
    func look(_ code: OneTimeCode) async throws(IdentityError) -> OneTimeCode.Grant {
        try Self.grant(try await send(RedisCommand("GET", Self.key(Self.hash(code)))))
    }

    /// What a code grants, for the last time: of several at once one gets it.
    /// - Throws: `IdentityError.invalidCode`, or the store's failure.
    func take(_ code: OneTimeCode, for purpose: OneTimeCode.Purpose) async throws(IdentityError) -> OneTimeCode.Grant {
        try Self.grant(try await send(RedisCommand("GETDEL", Self.key(Self.hash(code)))), purpose)
    }

    /// Makes the codes of a user void, whatever they are for or for some purposes.
    /// - Throws: the store's failure.
    func void(
        of userID: UserID, for purposes: [OneTimeCode.Purpose] = OneTimeCode.Purpose.allCases
    ) async throws(IdentityError) {
        for purpose in purposes {
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

    private func send(_ command: RedisCommand) async throws(IdentityError) -> RedisReply {
        try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
    }

    private static func hash(_ code: OneTimeCode) -> String {
        SHA256.hash(code.text.revealedText).hex
    }

    private static func key(_ hash: String) -> String {
        prefix + hash
    }

    private static func pointer(_ purpose: OneTimeCode.Purpose, _ userID: UserID) -> String {
        "\(prefix)\(purpose.rawValue):\(userID)"
    }

    private static func grant(
        _ reply: RedisReply, _ purpose: OneTimeCode.Purpose? = nil
    ) throws(IdentityError) -> OneTimeCode.Grant {
        guard case .bytes(let bytes) = reply else { throw .invalidCode }
        guard let grant = OneTimeCode.Grant(stored: bytes) else { throw .fault() }
        guard purpose == nil || grant.purpose == purpose else { throw .invalidCode }
        return grant
    }
}
