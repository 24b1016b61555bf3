import Crypto
import Networking
import Redis
import Text

/// The codes of mails that sign somebody in by an address, in Redis: `code:link:<SHA-256>` is the address, behind whose it was then and the
/// number that those credentials had.
package struct EmailLinkStore: Sendable {
    /// What a code is good for.
    struct Link: Sendable {
        let email: EmailAddress
        /// `-` where nobody had the address.
        private let holder: String

        init(_ email: EmailAddress, of user: User?) {
            self.email = email
            holder = Self.name(user)
        }

        fileprivate init?(stored text: String) {
            let parts = text.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let email = try? EmailAddress(String(parts[1])) else { return nil }
            (self.email, holder) = (email, String(parts[0]))
        }

        fileprivate var stored: String { "\(holder) \(email.typed)" }

        /// Whether a user was the one when it was sent, with the same ways in. Whoever has read the owner's mail once is not let in by that once
        /// the owner has put others out.
        func isUpToDate(for user: User) -> Bool { holder == Self.name(user) }

        private static func name(_ user: User?) -> String {
            user.map { "\($0.id).\($0.credentialsVersion)" } ?? "-"
        }
    }

    private let redis: RedisConnection

    init(redis: RedisConnection) {
        self.redis = redis
    }

    /// - Throws: the store's failure; the code is not to be given out then.
    func keep(_ code: OneTimeCode, for link: Link, life: Duration) async throws(IdentityError) {
        var command = RedisCommand("SET", Self.key(code), link.stored, "PX")
        command.append(max(1, life.wholeMilliseconds))
        _ = try await send(command)
    }

    /// What a code is good for, which it stays.
    /// - Throws: `IdentityError.invalidCode`, `unavailable`.
    func look(_ code: OneTimeCode) async throws(IdentityError) -> Link {
        try Self.link(try await send(RedisCommand("GET", Self.key(code))))
    }

    /// The same.
    /// - Throws: `IdentityError.invalidCredentials` for a code that was sent to another address; `invalidCode`, `unavailable`.
    func look(_ code: OneTimeCode, for email: EmailAddress) async throws(IdentityError) -> Link {
        let link = try await look(code)
        guard link.email.normalized == email.normalized else { throw .invalidCredentials }
        return link
    }

    /// Changes what a code is good for, not for how long. One that has been used up meanwhile stays so.
    /// - Throws: the store's failure.
    func rewrite(_ code: OneTimeCode, for link: Link) async throws(IdentityError) {
        _ = try await send(RedisCommand("SET", Self.key(code), link.stored, "XX", "KEEPTTL"))
    }

    /// Uses a code up: of several at once one does.
    /// - Throws: `IdentityError.invalidCode`, `unavailable`.
    func take(_ code: OneTimeCode) async throws(IdentityError) -> Link {
        try Self.link(try await send(RedisCommand("GETDEL", Self.key(code))))
    }

    private func send(_ command: RedisCommand) async throws(IdentityError) -> RedisReply {
        try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
    }

    private static func key(_ code: OneTimeCode) -> String {
        "code:link:\(SHA256.hash(code.text.revealedText).hex)"
    }

    private static func link(_ reply: RedisReply) throws(IdentityError) -> Link {
        guard let text = reply.text, let link = Link(stored: text) else { throw .invalidCode }
        return link
    }
}
