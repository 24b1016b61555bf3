import Crypto
package import Text

/// What a client gets when a session begins or is refreshed.
package struct SessionTokens: Sendable {
    package let session: Session
    package let accessToken: SecretString
    package let accessTokenExpiresAt: Timestamp
    package let refreshToken: SecretString
    /// Whether the client has to keep this refresh token in the place of the one that it had.
    package let rotates: Bool
}

/// Begins, refreshes, lists and ends sessions, so that no order of events leaves a token alive that nobody can revoke.
///
/// A session is entered in its user's index before anything of it exists, an access token is stored before its session knows
/// it, and is handed out only after the session has accepted it. Whoever ends sessions works the other way round: the index
/// names the session, the session names its tokens. So once an end has been answered, no token of that session is good.
package final class Sessions: Sendable {
    let store: SessionStore
    let tokens: AccessTokenStore
    let issuer: AccessTokenIssuer
    let users: UserStore
    let clients: ClientRegistry
    let limiter: Limiter
    let audit: AuditLog
    let metrics: IdentityMetrics
    let key: SessionTokenKey
    /// How many a user may have; when one more begins, the one that would end first is ended.
    let limitPerUser: Int
    let policy: RefreshPolicy
    let system: SystemContext

    package init(
        store: SessionStore, tokens: AccessTokenStore, issuer: AccessTokenIssuer, users: UserStore, clients: ClientRegistry,
        limiter: Limiter, audit: AuditLog, metrics: IdentityMetrics, key: SessionTokenKey, limitPerUser: Int,
        policy: RefreshPolicy,
        system: SystemContext
    ) {
        self.store = store
        self.tokens = tokens
        self.issuer = issuer
        self.users = users
        self.clients = clients
        self.limiter = limiter
        self.audit = audit
        self.metrics = metrics
        self.key = key
        self.limitPerUser = limitPerUser
        self.policy = policy
        self.system = system
    }

    /// Whether a session could begin: the session store answers, and there is a key to sign with.
    /// - Throws: `IdentityError.unavailable`.
    func checkReadiness() async throws(IdentityError) {
        try issuer.checkReadiness()
        try await store.ping()
    }

    /// Begins a session for a user who has just proved who he is.
    /// - Parameter leeway: how much longer than usual its access token lives.
    /// - Throws: `IdentityError.invalidCredentials` when the user was disabled, deleted or given a new password meanwhile, or
    ///   the sessions were ended; `unavailable` when a store is.
    package func begin(
        for user: User, client: Client, kind: SessionKind, method: SessionMethod = .password, leeway: Duration = .zero,
        caller: Caller
    ) async throws(IdentityError) -> SessionTokens {
        let now = system.now()
        let session = Session(
            id: SessionID(random: system.random(SessionID.byteCount)), userID: user.id, username: user.email.typed,
            emailVerified: user.emailVerified, clientID: client.id, kind: kind.begun(with: client), method: method,
            device: caller.device,
            network: NetworkPrefix(of: caller.address), salt: SessionSalt(random: system.random(SessionSalt.byteCount)),
            lifetime: client.sessionLifetime,
            beginningAt: now)
        try issuer.checkReadiness()
        let (begun, minted) = try await begin(
            session, of: user, idle: client.sessionLifetime.idle, caller, at: now
        ) { session throws(IdentityError) in
            try issuer.mint(for: session, client: client, leeway: leeway, at: session.createdAt)
        }
        guard let minted else { throw .fault() }
        let refreshToken = RefreshToken(
            session.id, generation: session.refresh.generation, salt: session.salt, key: key)
        return SessionTokens(
            session: begun, accessToken: minted.text, accessTokenExpiresAt: minted.issued.expiresAt,
            refreshToken: refreshToken.text, rotates: session.kind == .rotating)
    }

    /// Begins a session, or leaves nothing of it; a excess one makes room for it. Returns it as it is kept.
    /// - Parameter mint: makes its first access token, for the session as it is dated by who keeps it; nil for none.
    func begin(
        _ session: Session, of user: User, idle: Duration, _ caller: Caller, at now: Timestamp,
        _ mint: (Session) throws(IdentityError) -> AccessTokenIssuer.Minted?
    ) async throws(IdentityError) -> (Session, AccessTokenIssuer.Minted?) {
        var minted: AccessTokenIssuer.Minted?
        let (begun, count): (Session, Int)
        do throws(IdentityError) {
            let (announced, others) = try await store.announce(session, at: now)
            // After the announcement: whoever disables the user from here on finds this session.
            try await users.recordSignIn(of: user, at: now)
            minted = try mint(announced)
            begun = try await establish(announced, minted, idle: idle, at: now)
            count = others
        } catch {
            await discard(session, minted)
            throw error
        }
        if count > limitPerUser { await endExcess(of: user.id, sparing: session.id, caller) }
        return (begun, minted)
    }

    /// Writes a new session and its first access token, and returns it as it is kept.
    private func establish(
        _ session: Session, _ minted: AccessTokenIssuer.Minted?, idle: Duration, at now: Timestamp
    ) async throws(IdentityError) -> Session {
        if let minted {
            try await tokens.store(
                minted.record, for: minted.issued.hash, life: minted.issued.expiresAt.duration(since: session.createdAt))
        }
        guard let begun = try await store.create(session, idle: idle, accessToken: minted?.issued, at: session.createdAt) else {
            throw .invalidCredentials
        }
        // Who stood still for so long may have missed the tombstone that was to stop him. A span of one copy's own clock: one that is set
        // forward meanwhile costs an attempt.
        guard system.now().duration(since: now) < SessionTombstone.standardLife else {
            throw .unavailable(retryAfter: .seconds(1))
        }
        return begun
    }

    /// Takes back what there is of a session that could not begin. Nobody holds a token of it, so a failure does little harm.
    func discard(_ session: Session, _ minted: AccessTokenIssuer.Minted?) async {
        _ = try? await end(session.id, of: session.userID, reason: .revoked)
        if let minted { try? await tokens.delete([minted.issued.hash]) }
    }

    /// The live sessions of a user, the one used last first.
    /// - Throws: `IdentityError.unavailable`.
    package func list(of userID: UserID) async throws(IdentityError) -> [Session] {
        try await store.sessions(of: userID, at: system.now())
    }

    func note(
        _ kind: AuditKind, _ id: SessionID, of userID: UserID, client: ClientID?, by actor: AuditEvent.Actor, _ caller: Caller
    ) async {
        await audit.record(
            AuditEvent(
                id: system.uuid(), time: system.now(), kind: kind, actor: actor, userID: userID, clientID: client,
                sessionID: id, address: caller.address, referenceID: caller.referenceID))
    }
}
