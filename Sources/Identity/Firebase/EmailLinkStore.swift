import Crypto
import Networking
import Redis
import Text

/// The codes of mails that sign somebody in by an address, in Redis: `code:link:<SHA-256>` is the address.
package struct EmailLinkStore: Sendable {
    private let redis: RedisConnection

    init(redis: RedisConnection) {
        self.redis = redis
    }

    /// - Throws: the store's failure; the code is not to be given out then.
    func keep(_ code: OneTimeCode, for email: EmailAddress, life: Duration) async throws(IdentityError) {
        var command = RedisCommand("SET", Self.key(code), email.typed, "PX")
        command.append(max(1, life.wholeMilliseconds))
        _ = try await send(command)
    }

    /// The address that a code is good for; it stays good.
    /// - Throws: `IdentityError.invalidCode`, `unavailable`.
    func look(_ code: OneTimeCode) async throws(IdentityError) -> EmailAddress {
        try Self.address(try await send(RedisCommand("GET", Self.key(code))))
    }

    /// The same for the last time: of several at once one gets it.
    /// - Throws: `IdentityError.invalidCode`, `unavailable`.
    func take(_ code: OneTimeCode) async throws(IdentityError) -> EmailAddress {
        try Self.address(try await send(RedisCommand("GETDEL", Self.key(code))))
    }

    /// Makes a code good again that was taken and has led to nothing; of no consequence if it fails.
    func giveBack(_ code: OneTimeCode, for email: EmailAddress, life: Duration) async {
        try? await keep(code, for: email, life: life)
    }

    private func send(_ command: RedisCommand) async throws(IdentityError) -> RedisReply {
        try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
    }

    private static func key(_ code: OneTimeCode) -> String {
        "code:link:\(SHA256.hash(code.text.revealedText).hex)"
    }

    private static func address(_ reply: RedisReply) throws(IdentityError) -> EmailAddress {
        guard let text = reply.text, let address = try? EmailAddress(text) else { throw .invalidCode }
        return address
    }
}
