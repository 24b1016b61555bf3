import Text

/// What further clients get from a session that lives, and how they lose it.
extension Sessions {
    /// Gives a client a grant in a session that lives, with an access token and perhaps a refresh token. Everything of it ends with the session.
    /// - Parameter refresh: whether each use of the refresh token replaces it; nil for no refresh token.
    /// - Throws: `IdentityError.invalidToken` when the session is over; `overloaded` when it has 32 grants; `unavailable`.
    package func grant(
        to client: Client, in id: SessionID, refresh: RefreshRotation.Mode?, terms: GrantTerms = GrantTerms()
    ) async throws(IdentityError) -> GrantTokens {
        guard case .live(let session) = try await store.record(id, at: system.now()) else { throw .invalidToken }
        let now = session.time(at: system.now())
        let grant = Grant(GrantID(random: system.random(GrantID.byteCount)), to: client, refresh: refresh, terms)
        let minted = try issuer.mint(for: grant, of: session, client: client, leeway: terms.leeway, at: now)
        try await listing(minted, in: id, at: now) { () throws(IdentityError) in
            try await store.add(
                grant, to: session, idle: client.sessionLifetime.idle, accessToken: minted.issued, at: now)
        }
        return GrantTokens(
            grant: grant, accessToken: minted.text, accessTokenExpiresAt: minted.issued.expiresAt,
            refreshToken: grant.refresh.map { refresh in
                RefreshToken(id, grant: grant.id, generation: refresh.generation, salt: session.salt, key: key).text
            })
    }

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
        try await tokens.end(hashes)
        await store.strike(hashes, from: id)
    }

    /// Ends what one client got from a session; if the session holds nothing else, the session. When this returns, no token of the grant is good.
    /// - Throws: `IdentityError.unavailable`: some may be good then, and the call may be repeated.
    func end(
        _ grant: GrantID, in id: SessionID, of userID: UserID, client: ClientID?, by actor: AuditEvent.Actor, _ caller: Caller
    ) async throws(IdentityError) {
        let (outcome, revoked) = try await store.end(grant, in: id)
        try await revoke(revoked, in: id)
        switch outcome {
        case .ended: await note(.grantEnded, id, of: userID, client: client, by: actor, caller)
        case .over: return
        case .last:
            let note = SessionEndNote(actor: actor, clientID: client, caller: caller)
            try await end(id, of: userID, reason: .revoked, noting: note)
        }
    }

    /// Has the live sessions of a user say of them what holds now. Tokens that are out keep what they say.
    /// - Throws: `IdentityError.unavailable`; some sessions may say what held before then, and the call may be repeated.
    func update(_ owner: SessionOwner, of userID: UserID) async throws(IdentityError) {
        for id in try await store.ids(of: userID) { _ = try await store.update(owner, of: id) }
    }
}
