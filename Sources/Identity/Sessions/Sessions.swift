import Crypto
package import Text

/// What a client gets when a session begins or is refreshed.
package struct SessionTokens: Sendable {
    package let session: Session
    package let grant: Grant
    package let accessToken: SecretString
    package let accessTokenExpiresAt: Timestamp
    package let refreshToken: SecretString
    /// Whether the client has to keep this refresh token in the place of the one that it had.
    package let rotates: Bool
}

/// What a further client gets from a session.
package struct GrantTokens: Sendable {
    package let session: Session
    package let grant: Grant
    package let accessToken: SecretString
    package let accessTokenExpiresAt: Timestamp
    /// Nil where none was asked for.
    package let refreshToken: SecretString?
}

/// Begins, refreshes, lists and ends sessions, so that no order of events leaves a token alive that nobody can revoke.
///
/// A session is entered in its user's index in the step that writes it and its access token, which is handed out only after the user has been checked
/// once more. Whoever ends sessions works the other way round: the index names the session, the session names its tokens. So once an end has been
/// answered, no token of that session is good.
package final class Sessions: Sendable {
    let store: SessionStore
    let tokens: AccessTokenStore
    let issuer: AccessTokenIssuer
    let users: UserStore
    let clients: ClientRegistry
    let limiter: Limiter
    let audit: AuditLog
    let metrics: IdentityMetrics
    /// Nil where no client wants to hear of the end of a session.
    package let logouts: LogoutNotices?
    let key: SessionTokenKey
    /// How many a user may have. `SessionExcess` says which end when there are more.
    let limitPerUser: Int
    let policy: RefreshPolicy
    let system: SystemContext
    /// How many ends there are whose answer was lost, and which are to be looked at once more.
    let unansweredEnds = LoopSlot(0)
    /// Of sessions whose tokens come although they are no good: a program that does not give up must not fill the table.
    private let refusals = LimitNotices(pause: .seconds(60))

    package init(
        store: SessionStore, tokens: AccessTokenStore, issuer: AccessTokenIssuer, users: UserStore, clients: ClientRegistry,
        limiter: Limiter, audit: AuditLog, metrics: IdentityMetrics, key: SessionTokenKey, limitPerUser: Int,
        policy: RefreshPolicy,
        logouts: LogoutNotices? = nil, system: SystemContext
    ) {
        self.store = store
        self.tokens = tokens
        self.issuer = issuer
        self.users = users
        self.clients = clients
        self.limiter = limiter
        self.audit = audit
        self.metrics = metrics
        self.logouts = logouts
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

    /// The live sessions of a user, the one used last first.
    /// - Throws: `IdentityError.unavailable`.
    package func list(of userID: UserID) async throws(IdentityError) -> [Session] {
        try await store.sessions(of: userID, at: system.now())
    }

    /// Puts a refused refresh on record, once a minute for a session, and of `LimitNotices.capacity` sessions a minute.
    func noteRefusal(of id: SessionID, _ userID: UserID, client: ClientID?, _ caller: Caller) async {
        guard refusals.admits(id.text, at: system.now()) else { return }
        await note(.refreshRefused, id, of: userID, client: client, by: .anonymous, caller)
    }

    func note(
        _ kind: AuditKind, _ id: SessionID?, of userID: UserID, client: ClientID?, by actor: AuditEvent.Actor, _ caller: Caller,
        detail: JSONObject = JSONObject()
    ) async {
        await audit.record(
            AuditEvent(
                id: system.uuid(), time: system.now(), kind: kind, actor: actor, userID: userID, clientID: client,
                sessionID: id, address: caller.address, referenceID: caller.referenceID, detail: detail))
    }
}
