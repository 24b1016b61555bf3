package import Text

/// What further clients get from a session that lives, and how they lose it.
extension Sessions {
    /// Gives a client a grant in a session that lives, with an access token and perhaps a refresh token. Everything of it ends with the session.
    /// - Parameter refresh: whether each use of the refresh token replaces it; nil for no refresh token.
    /// - Throws: `IdentityError.invalidToken` when the session is over; `overloaded` when it has 32 grants; `unavailable`.
    package func grant(
        to client: Client, in id: SessionID, refresh: RefreshRotation.Mode?, terms: GrantTerms = GrantTerms()
    ) async throws(IdentityError) -> GrantTokens {
        guard case .live(let session) = try await store.record(id, at: system.now()) else { throw .invalidToken }
        try await makeRoom(for: client.id, in: session)
        let now = session.time(at: system.now())
        let grant = Grant(GrantID(random: system.random(GrantID.byteCount)), to: client, refresh: refresh, terms)
        let minted = try issuer.mint(
            for: grant.first(terms), of: session, client: client, leeway: terms.leeway, actors: terms.actors, end: terms.end,
            at: now)
        try await listing(minted, in: id, at: now) { () throws(IdentityError) in
            try await store.add(
                grant, to: session, idle: client.sessionLifetime.idle, accessToken: minted.issued, at: now)
        }
        return GrantTokens(
            session: session, grant: grant, accessToken: minted.text, accessTokenExpiresAt: minted.issued.expiresAt,
            refreshToken: grant.refresh.map { refresh in
                RefreshToken(id, grant: grant.id, generation: refresh.generation, salt: session.salt, key: key).text
            })
    }

    /// Notes in a session that a client took part in it though nothing of it was given in it, as for `offline_access`: it hears of the end of the
    /// session like every other (OpenID Connect Back-Channel Logout 1.0 §2.3).
    /// - Throws: `IdentityError.invalidToken` when the session is over; `overloaded`, `unavailable`.
    func join(_ client: Client, _ session: Session) async throws(IdentityError) {
        guard !session.grants.contains(where: { $0.clientID == client.id }) else { return }
        try await makeRoom(for: client.id, in: session)
        let grant = Grant(
            GrantID(random: system.random(GrantID.byteCount)), to: client, refresh: nil, GrantTerms(scopes: [], audiences: []))
        let now = session.time(at: system.now())
        guard try await store.add(grant, to: session, idle: client.sessionLifetime.idle, accessToken: nil, at: now) != nil else {
            throw .invalidToken
        }
    }

    /// Gives a client one more access token in a session that lives, and no refresh token: in the grant without one that it has, or in a new one.
    /// - Throws: as `grant(to:in:refresh:terms:)`.
    package func token(for client: Client, in id: SessionID, terms: GrantTerms) async throws(IdentityError) -> GrantTokens {
        guard case .live(let session) = try await store.record(id, at: system.now()) else { throw .invalidToken }
        let kept = session.grants.first { $0.id != .first && $0.clientID == client.id && $0.refresh == nil }
        guard let kept else { return try await grant(to: client, in: id, refresh: nil, terms: terms) }
        return try await token(for: client, of: kept.id, in: session, terms: terms)
    }

    /// Gives a client an access token that belongs to a grant of another one, since it is made of a token of that: it ends with the grant.
    /// - Throws: `IdentityError.invalidToken` when the session or the grant is over; `unavailable`.
    func token(
        for client: Client, beside grantID: GrantID, in id: SessionID, terms: GrantTerms
    ) async throws(IdentityError) -> GrantTokens {
        guard case .live(let session) = try await store.record(id, at: system.now()) else { throw .invalidToken }
        return try await token(for: client, of: grantID, in: session, terms: terms)
    }

    private func token(
        for client: Client, of grantID: GrantID, in session: Session, terms: GrantTerms
    ) async throws(IdentityError) -> GrantTokens {
        let now = session.time(at: system.now())
        let grant = Grant(
            id: grantID, clientID: client.id, scopes: terms.scopes, audiences: terms.audiences, refresh: nil,
            confirmation: terms.confirmation)
        let minted = try issuer.mint(
            for: grant, of: session, client: client, leeway: terms.leeway, actors: terms.actors, end: terms.end, at: now)
        try await listing(minted, in: session.id, at: now) { () throws(IdentityError) in
            try await store.list(minted.issued, of: grantID, in: session.id, at: now)
        }
        return GrantTokens(
            session: session, grant: grant, accessToken: minted.text, accessTokenExpiresAt: minted.issued.expiresAt,
            refreshToken: nil)
    }

    /// Ends the oldest grant of a client that comes again and again, or of whoever has one when the session has as many as it may.
    private func makeRoom(for client: ClientID, in session: Session) async throws(IdentityError) {
        let further = session.grants.filter { $0.id != .first }
        let own = further.filter { $0.clientID == client }
        let oldest =
            own.count >= Self.grantsOfClient ? own.first : session.grants.count >= SessionScript.grantCount ? further.first : nil
        guard let oldest else { return }
        let (_, revoked, _) = try await store.end(oldest.id, in: session.id, notedAt: nil)
        try await revoke(revoked, in: session.id)
    }

    /// How many one client may have in a session.
    static let grantsOfClient = 8

    /// Stores a token that has been minted, has a script list it, and only then lets it be handed out: whatever goes wrong leaves no token that
    /// nobody can revoke.
    /// - Parameter list: returns the tokens that have become too many; nil when the session or the grant is over.
    /// - Throws: `IdentityError.invalidToken` then; the store's failure.
    func listing(
        _ minted: AccessTokenIssuer.Minted, in id: SessionID, at now: Timestamp,
        _ list: () async throws(IdentityError) -> [AccessTokenHash]?
    ) async throws(IdentityError) {
        do throws(IdentityError) {
            try await keep(minted, at: now)
            guard let excess = try await list() else { throw .invalidToken }
            try await revoke(excess, in: id)
        } catch {
            try? await tokens.delete([minted.issued.hash])
            throw error
        }
    }

    /// Makes access tokens of a session unknown, and forgets them.
    func revoke(_ hashes: [AccessTokenHash], in id: SessionID) async throws(IdentityError) {
        guard !hashes.isEmpty else { return }
        try await mapServiceFailures { () throws(ServiceFailure) in try await tokens.end(hashes) }
        await store.strike(hashes, from: id)
    }

    /// Ends what one client got from a session; if the session holds nothing else, the session. When this returns, no token of the grant is good.
    /// - Throws: `IdentityError.unavailable`: some may be good then, and the call may be repeated.
    func endGrant(
        _ grant: GrantID, in id: SessionID, of userID: UserID, client: ClientID?, by actor: AuditEvent.Actor, _ caller: Caller
    ) async throws(IdentityError) {
        let note = SessionEndNote(actor: actor, clientID: client, caller: caller)
        let (outcome, revoked, unrecordedSince) = try await store.end(grant, in: id, notedAt: system.now())
        try await revoke(revoked, in: id)
        switch outcome {
        case .ended, .over:
            guard let unrecordedSince else { return }
            await audit.record(AuditEvent(endOf: grant, in: id, of: userID, at: unrecordedSince, note))
        case .last, .entombed:
            try await endUnread(id, of: userID, reason: .revoked, noting: note)
        }
    }

    /// Ends a grant that was given out for something that has turned out to be stolen or void. One that is over is no error.
    /// - Throws: `IdentityError.unavailable`: its tokens may be good then, and the call may be repeated.
    package func endGrant(
        _ grant: GrantID, in id: SessionID, of userID: UserID, client: ClientID, caller: Caller
    ) async throws(IdentityError) {
        try await endGrant(grant, in: id, of: userID, client: client, by: .system, caller)
    }

    /// Ends all that a client got from the sessions of a user, because the user withdraws what they have agreed to.
    /// - Throws: `IdentityError.unavailable`: some may be good then, and the call may be repeated.
    package func endGrants(of client: ClientID, of userID: UserID, caller: Caller) async throws(IdentityError) {
        try await endGrants(of: client, in: try await store.sessions(of: userID, at: system.now()), caller)
    }

    /// Ends what a client got from some sessions, because their users want it.
    /// - Throws: `IdentityError.unavailable`: some may be good then, and the call may be repeated.
    func endGrants(of client: ClientID, in sessions: [Session], _ caller: Caller) async throws(IdentityError) {
        for session in sessions {
            for grant in session.grants where grant.clientID == client {
                try await endGrant(
                    grant.id, in: session.id, of: session.userID, client: client, by: .user(session.userID), caller)
            }
        }
    }

    /// What a refresh token belongs to, if it is the client's and its session lives, as far as the client may still have it. It is not used
    /// by that.
    /// - Throws: `IdentityError.invalidRefreshToken`, `unavailable`.
    package func grant(
        ofRefreshToken token: SecretString, for client: Client
    ) async throws(IdentityError) -> (session: Session, grant: Grant)? {
        let holder = try await holder(of: token)
        guard case .live(let session, let grant?, _) = holder, grant.clientID == client.id else { return nil }
        return (session, grant.within(client, issuer.installation))
    }

    /// Has the live sessions of a user say of them what holds now. Tokens that are out keep what they say.
    /// - Throws: `IdentityError.unavailable`; some sessions may say what held before then, and the call may be repeated.
    func update(_ owner: SessionOwner, of userID: UserID) async throws(IdentityError) {
        for id in try await store.ids(of: userID) { _ = try await store.update(owner, of: id) }
    }
}
