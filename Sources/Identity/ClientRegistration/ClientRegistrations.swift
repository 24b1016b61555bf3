import Crypto
import Postgres
package import Redis
package import Text

/// Clients that register themselves and look after their registrations (RFC 7591, RFC 7592), by the rules that hold for those of operators.
package struct ClientRegistrations: Sendable {
    /// What a client gets.
    package struct Registered: Sendable {
        package let client: Client
        package let secret: ClientSecret?
        package let accessToken: RegistrationAccessToken
    }

    private let store: ClientStore
    private let redis: RedisConnection
    private let tokens: InitialAccessTokens
    private let sessions: Sessions
    private let clientTokens: ClientTokens
    private let jobs: JobQueue
    private let changes: ClientChanges
    package let system: SystemContext

    package init(
        store: ClientStore, redis: RedisConnection, tokens: InitialAccessTokens, sessions: Sessions, clientTokens: ClientTokens,
        system: SystemContext
    ) {
        self.store = store
        self.redis = redis
        self.tokens = tokens
        self.sessions = sessions
        self.clientTokens = clientTokens
        jobs = JobQueue(pool: store.pool)
        changes = ClientChanges(redis: redis, clients: sessions.clients)
        self.system = system
    }

    /// Registers a client.
    /// - Parameters:
    ///   - draft: it, without a secret; the problems of what it asks for are the caller's to tell, before the token is used.
    ///   - initial: that an operator has made; it is used by that.
    /// - Throws: `IdentityError.invalidToken` for a token that allows nothing, or no more; the store's failure.
    package func register(
        _ draft: Client, with initial: SecretString, needsSecret: Bool, caller: Caller
    ) async throws(IdentityError) -> Registered {
        guard let permit = tokens.permit(initial, at: system.now()) else { throw .invalidToken }
        try await use(permit)
        let token = RegistrationAccessToken(random: system.random(RegistrationAccessToken.randomByteCount))
        let secret = needsSecret ? ClientSecret(random: system.random(ClientSecret.randomByteCount)) : nil
        var client = draft
        client.registration = .dynamic(accessToken: token.digest)
        if let secret { client.authentication = .secret(secret.digest) }
        let now = system.now()
        _ = try await mapPostgresErrors { () throws(PostgresError) in try await store.insert(client, at: now) }
        await changes.tell(client.id)
        await note(.clientAdded, client.id, caller)
        return Registered(client: client, secret: secret, accessToken: token)
    }

    /// What a token allows now, which is not used by that; nil for nothing.
    package func permit(_ initial: SecretString) -> InitialAccessTokens.Permit? {
        tokens.permit(initial, at: system.now())
    }

    /// The client of a registration access token. A client of that name that has another token, or none, is as if there were none.
    /// - Throws: `IdentityError.invalidToken`; the store's failure.
    package func client(_ id: String, _ token: SecretString) async throws(IdentityError) -> Client {
        guard let id = ClientID(id) else { throw .invalidToken }
        let found = try await mapPostgresErrors { () throws(PostgresError) in try await store.client(id) }
        guard let found, !found.isDisabled, case .dynamic(let digest) = found.registration,
            RegistrationAccessToken.digest(of: token).matches(digest)
        else { throw .invalidToken }
        return found
    }

    /// Puts other metadata in the place of a client's own. What only an operator may say of it stays, and what an operator has done since it was
    /// read: its end, and another secret.
    /// - Throws: `IdentityError.invalidToken` when the client is gone or disabled; the store's failure.
    package func replace(_ client: Client, needsSecret: Bool, caller: Caller) async throws(IdentityError) -> (
        Client, ClientSecret?
    ) {
        let secret: ClientSecret? =
            if case .secret = client.authentication {
                nil
            } else {
                needsSecret ? ClientSecret(random: system.random(ClientSecret.randomByteCount)) : nil
            }
        let now = system.now()
        let outcome = try await update(client.id, at: now) { present -> Result<Client, ClientError> in
            guard !present.isDisabled, present.registration == client.registration else { return .failure(.invalid) }
            var changed = client
            if let secret {
                changed.authentication = .secret(secret.digest)
            } else if case .secret = client.authentication, case .secret = present.authentication {
                changed.authentication = present.authentication
                changed.previousSecret = present.previousSecret
            }
            changed.keepOperatorSettings(of: present)
            return .success(changed)
        }
        guard case .done(_, let changed) = outcome else { throw .invalidToken }
        await changes.tell(client.id)
        await note(.clientUpdated, client.id, caller)
        return (changed, secret)
    }

    /// Changes a client. Its users are asked once more if it calls itself otherwise or has them sent elsewhere: they have agreed to another.
    private func update(
        _ id: ClientID, at now: Timestamp, _ change: (Client) -> Result<Client, ClientError>
    ) async throws(IdentityError) -> ClientStore.Update<ClientError> {
        try await mapPostgresErrors { () throws(PostgresError) in
            try await store.pool.transaction { transaction throws(PostgresError) in
                let update = try await store.update(id, at: now, in: transaction, change)
                if case .done(let before, let after) = update,
                    before.name != after.name || before.redirectURIs != after.redirectURIs
                        || before.presentation != after.presentation
                {
                    _ = try await transaction.query(ConsentQueries.withdrawAll, [.text(id.text)])
                }
                return update
            }
        }
    }

    /// Deletes a client, and ends all that it has got.
    /// - Throws: the store's failure; if it is deleted then, what it has got ends a little later.
    package func delete(_ id: ClientID, caller: Caller) async throws(IdentityError) {
        let isDeleted = try await store.pool.transaction { transaction throws(IdentityError) in
            let isDeleted = try await mapPostgresErrors { () throws(PostgresError) in
                try await store.delete(id, in: transaction)
            }
            if isDeleted {
                try await ClientTokenEnding(clientID: id, isOfDeleted: true).enter(in: transaction, jobs, sessions, system)
            }
            return isDeleted
        }
        guard isDeleted else { return }
        await changes.tell(id)
        await note(.clientRemoved, id, caller)
        try await clientTokens.endAll(of: id)
        try await ClientRemains(sessions).end(of: id, caller: caller)
    }

    /// Counts one more use, which fails beyond those that are allowed. A failure of what follows does not give it back.
    private func use(_ permit: InitialAccessTokens.Permit) async throws(IdentityError) {
        let life = max(1, permit.expiresAt.duration(since: system.now()).wholeMilliseconds)
        let reply = try await mapRedisErrors { () throws(RedisError) in
            try await redis.run(
                Self.count, keys: ["registration:\(permit.name)"], arguments: [Array(String(life).utf8)])
        }
        guard let count = reply.integerValue, count <= permit.uses else { throw .invalidToken }
    }

    /// Key: the token. Argument: how long it is still good, in milliseconds.
    private static let count = RedisScript(
        name: "count_registration",
        source: """
            local count = redis.call('INCR', KEYS[1])
            if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
            return count
            """)

    private func note(_ kind: AuditKind, _ id: ClientID, _ caller: Caller) async {
        await sessions.audit.record(
            AuditEvent(
                id: system.uuid(), time: system.now(), kind: kind, actor: .client(id), clientID: id, address: caller.address,
                referenceID: caller.referenceID))
    }
}

extension Client {
    /// By which it would speak for users with other clients' tokens, or on its own word: no software gives itself these.
    package static let operatorGrants: Set<GrantType> = [.tokenExchange, .jwtBearer]

    /// Takes over what only an operator may say of a client that has registered itself: rights, audiences, formats and lifetimes, and what goes
    /// beyond the scopes and grants of OpenID Connect.
    package mutating func keepOperatorSettings(of present: Client) {
        let (standard, given) = (present.kind.permissions, present.permissions)
        permissions = kind.permissions.subtracting(standard.subtracting(given)).union(given.subtracting(standard))
        grantTypes = grantTypes.subtracting(Self.operatorGrants).union(present.grantTypes.intersection(Self.operatorGrants))
        scopes =
            scopes.filter(AuthorizationCheck.openIDScopes.contains)
            + present.scopes.filter { !AuthorizationCheck.openIDScopes.contains($0) }
        isFirstParty = present.isFirstParty
        audiences = present.audiences
        // Nobody has let what it is now go without.
        requiresPKCE = present.requiresPKCE || isPublic || kind != present.kind
        accessTokenFormat = present.accessTokenFormat
        accessTokenLifetime = present.accessTokenLifetime
        sessionLifetime = present.sessionLifetime
        rotatesRefreshTokens = rotatesRefreshTokens || present.rotatesRefreshTokens
    }
}
