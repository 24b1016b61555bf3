package import Redis
package import Text

/// Access tokens of clients that act by themselves (RFC 6749 §4.4): there is no user, no session and no refresh token.
package final class ClientTokens: Sendable {
    /// What a client gets.
    package struct Issued: Sendable {
        package let accessToken: SecretString
        package let expiresAt: Timestamp
        package let life: Duration
    }

    /// How many are deleted in one go.
    private static let batch = 1000

    private let redis: RedisConnection
    private let tokens: AccessTokenStore
    private let issuer: AccessTokenIssuer
    private let clock: ScriptClock
    private let system: SystemContext

    private static let list = TimedScript(name: "list_client_token", source: ListClientTokenScript.source)
    private static let end = RedisScript(name: "end_client_tokens", source: EndClientTokensScript.source, whenFull: true)

    package init(redis: RedisConnection, tokens: AccessTokenStore, issuer: AccessTokenIssuer, system: SystemContext) {
        self.redis = redis
        self.tokens = tokens
        self.issuer = issuer
        self.system = system
        clock = system.scriptClock
    }

    /// Issues an access token to a client that has proved itself.
    /// - Throws: `IdentityError.clientNotPermitted` when its tokens have been ended and it has not been admitted again; `unavailable`.
    package func issue(
        to client: Client, scopes: [String]? = nil, audiences: [String]? = nil, confirmation: KeyConfirmation? = nil
    ) async throws(IdentityError) -> Issued {
        let now = try await time()
        let terms = GrantTerms(scopes: scopes, audiences: audiences, confirmation: confirmation)
        let minted = try issuer.mint(forClient: client, terms, at: now)
        let life = minted.issued.expiresAt.duration(since: now)
        do throws(IdentityError) {
            try await mapServiceFailures { () throws(ServiceFailure) in
                try await tokens.store(
                    minted.record, for: minted.issued.hash, life: .milliseconds(minted.issued.life(at: now)))
            }
            let arguments = SessionScript.arguments(
                minted.issued.hash.bytes, minted.issued.expiresAt.milliseconds, now.milliseconds)
            let reply = try await mapRedisErrors { () throws(RedisError) in
                try await redis.run(Self.list[clock], keys: Self.keys(client.id), arguments: arguments)
            }
            guard let excess = reply.elements else { throw .clientNotPermitted }
            try await mapServiceFailures { () throws(ServiceFailure) in try await tokens.end(excess.compactMap(\.hash)) }
        } catch {
            try? await tokens.delete([minted.issued.hash])
            throw error
        }
        return Issued(accessToken: minted.text, expiresAt: minted.issued.expiresAt, life: life)
    }

    /// Ends all access tokens of a client, and refuses it others until it is admitted again, by those copies too that still take it for what it was.
    /// - Parameter refusal: for how long, if nobody admits it; zero for a client that goes on.
    /// - Throws: `IdentityError.unavailable`; some may be good then, and the call may be repeated.
    package func endAll(
        of id: ClientID, refusingFor refusal: Duration = EndClientTokensScript.refusal
    ) async throws(IdentityError) {
        let keys = Self.keys(id)
        let life = SessionScript.arguments(refusal.wholeMilliseconds)
        let reply = try await mapRedisErrors { () throws(RedisError) in
            try await redis.runLasting(Self.end, keys: keys, arguments: life)
        }
        guard let elements = reply.elements else { throw .fault() }
        var rest = elements.compactMap(\.hash)[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(Self.batch))
            try await mapServiceFailures { () throws(ServiceFailure) in try await tokens.end(batch, with: .client(id)) }
            rest = rest.dropFirst(Self.batch)
        }
    }

    /// Admits a client again whose tokens were ended.
    /// - Throws: `IdentityError.unavailable`.
    package func admit(_ id: ClientID) async throws(IdentityError) {
        let command = RedisCommand("DEL", Self.keys(id)[1])
        _ = try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
    }

    /// By the clock that all copies share.
    private func time() async throws(IdentityError) -> Timestamp {
        guard clock == .redis else { return system.now() }
        let reply = try await mapRedisErrors { () throws(RedisError) in try await redis.send(RedisCommand("TIME")) }
        guard let time = Timestamp(redisTime: reply) else { throw .fault() }
        return time
    }

    private static func keys(_ id: ClientID) -> [String] {
        ["client:{\(id)}:tokens", "client:{\(id)}:ended"]
    }
}

extension RedisReply {
    fileprivate var hash: AccessTokenHash? {
        guard case .bytes(let bytes) = self else { return nil }
        return AccessTokenHash(bytes: bytes)
    }
}

/// Lists an access token of a client.
///
/// - Keys: `client:{<id>}:tokens`, a sorted set of hashes by expiry; `client:{<id>}:ended`, which is there while the client gets no tokens.
/// - Arguments: the hash (18 bytes), the expiry and the caller's `now` in milliseconds.
/// - Returns nil when the client gets none. Else the hashes of tokens to delete, the ones nearest to their expiry, because they are too many.
package enum ListClientTokenScript {
    /// How many a client may have at once.
    static let capacity = 100_000

    package static let source = """
        if redis.call('EXISTS', KEYS[2]) == 1 then return false end
        local now = clock(ARGV[3])
        local expiry = tonumber(ARGV[2]) + now - tonumber(ARGV[3])
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - \(SessionScript.listingMargin))
        local excess, dead = redis.call('ZCARD', KEYS[1]) + 1 - \(capacity), {}
        if excess > 0 then
            dead = redis.call('ZRANGE', KEYS[1], 0, excess - 1)
            redis.call('ZREMRANGEBYRANK', KEYS[1], 0, excess - 1)
        end
        redis.call('ZADD', KEYS[1], expiry, ARGV[1])
        local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
        redis.call('PEXPIRE', KEYS[1], math.max(1, last[2] - now + \(SessionScript.listingMargin)))
        return dead
        """
}

/// Ends the access tokens of a client.
///
/// - Keys: as `ListClientTokenScript`. Argument: for how long the client gets none, in milliseconds; 0 for one that goes on.
/// - Returns the hashes of all tokens that it may have.
package enum EndClientTokensScript {
    /// Longer than any copy takes a client for what it was.
    package static let refusal: Duration = .seconds(86_400)

    package static let source = """
        if tonumber(ARGV[1]) > 0 then redis.call('SET', KEYS[2], '1', 'PX', ARGV[1]) end
        return redis.call('ZRANGE', KEYS[1], 0, -1)
        """
}
