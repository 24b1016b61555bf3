package import Text

/// What a client wants of a refresh beyond the rule.
package struct RefreshOptions: Sendable {
    /// A session that keeps its token rotates from now on. For some clients that is the rule, whatever is wished for.
    package var rotation = false
    /// A repeated refresh gives the very access token again that the first has given, as far as it is still good.
    package var sameAccessToken = false
    /// How much longer than usual the access token lives.
    package var leeway: Duration = .zero

    package init(rotation: Bool = false, sameAccessToken: Bool = false, leeway: Duration = .zero) {
        self.rotation = rotation
        self.sameAccessToken = sameAccessToken
        self.leeway = leeway
    }
}

extension Sessions {
    /// The same for who wants rotation at most.
    package func refresh(
        _ presented: SecretString, wantsRotation: Bool, caller: Caller
    ) async throws(IdentityError) -> SessionTokens {
        try await refresh(presented, RefreshOptions(rotation: wantsRotation), caller: caller)
    }

    /// Exchanges a refresh token (RFC 6749 §6) by the rule of `RefreshRotation`.
    ///
    /// - Parameter presented: what the client sent as its refresh token.
    /// - Throws: `IdentityError.invalidRefreshToken`; `userNotFound` when the token was good and the account has been deleted;
    ///   `tooManyRequests`; `unavailable` when a store is. Within the grace the request may be repeated, whatever became of it.
    package func refresh(
        _ presented: SecretString, _ options: RefreshOptions, caller: Caller
    ) async throws(IdentityError) -> SessionTokens {
        var outcome = IdentityMetrics.Refresh.refused
        defer { metrics.count(outcome) }
        do throws(IdentityError) {
            let (session, token) = try await counted(presented, caller)
            return try await exchange(token, of: session, options, caller, &outcome)
        } catch {
            if error.isOurs, outcome != .reuse { outcome = .unavailable }
            throw error
        }
    }

    /// The session and the token that may be exchanged, as far as the mac tells. Counted before anything is put on record: a session's
    /// budget is for tokens of the session; what only names it counts with the address alone.
    private func counted(
        _ presented: SecretString, _ caller: Caller
    ) async throws(IdentityError) -> (Session, RefreshToken) {
        let holder: RefreshTokenHolder
        do throws(IdentityError) {
            holder = try await self.holder(of: presented)
        } catch .invalidRefreshToken where PresentedRefreshToken(presented.revealedText) != nil {
            try await limiter.take(.failedRefresh(caller), caller)
            throw .invalidRefreshToken
        }
        switch holder {
        case .live(let session, let token):
            try await limiter.take(.refresh(session.id, caller), caller)
            return (session, token)
        case .ended(let id, let userID, let reason):
            try await limiter.take(.failedRefresh(caller), caller)
            // Whoever ended it may not have got to the end.
            try await end(
                id, of: userID, reason: reason, noting: SessionEndNote(actor: .anonymous, clientID: nil, caller: caller))
            await note(.refreshRefused, id, of: userID, client: nil, by: .anonymous, caller)
            throw reason == .userDeleted ? .userNotFound : .invalidRefreshToken
        }
    }

    private func exchange(
        _ token: RefreshToken, of session: Session, _ options: RefreshOptions, _ caller: Caller,
        _ outcome: inout IdentityMetrics.Refresh
    ) async throws(IdentityError) -> SessionTokens {
        let client = try await client(of: session)
        let now = session.time(at: system.now())
        let rotation = options.rotation || client.rotatesRefreshTokens
        let minted = try issuer.mint(for: session, client: client, leeway: options.leeway, at: now)
        do throws(IdentityError) {
            try await tokens.store(minted.record, for: minted.issued.hash, life: minted.issued.expiresAt.duration(since: now))
            if options.sameAccessToken { try await keep(minted, parent: token) }
            let request = RefreshSessionScript.Request(
                sessionID: session.id, generation: token.generation, wantsRotation: rotation,
                accessToken: minted.issued, repeatsSuccessor: options.sameAccessToken)
            let reply = try await store.refresh(request, idle: client.sessionLifetime.idle, at: now)
            if case .repeated(let hash, let generation) = reply.outcome {
                if let kept = try await store.successor(hash)?.open(token, hash: hash) {
                    await discard(minted)
                    return await answer(
                        .replay, generation, kept.accessToken, kept.expiresAt, of: session, caller, &outcome)
                }
                let second = try await store.refresh(request.withoutRepetition, idle: client.sessionLifetime.idle, at: now)
                return try await answer(second, minted, of: session, caller, &outcome)
            }
            return try await answer(reply, minted, of: session, caller, &outcome)
        } catch {
            await discard(minted)
            throw error
        }
    }

    /// Lets whoever presents the parent again have this access token.
    private func keep(_ minted: AccessTokenIssuer.Minted, parent: RefreshToken) async throws(IdentityError) {
        guard policy.grace > .zero else { return }
        guard let sealed = try? SealedSuccessor(minted.text, minted.issued, parent: parent) else { throw .fault() }
        try await store.keep(sealed, for: minted.issued.hash, life: policy.grace)
    }

    /// Takes back an access token that nobody gets, so a failure here does no harm.
    private func discard(_ minted: AccessTokenIssuer.Minted) async {
        try? await tokens.delete([minted.issued.hash])
        await store.forgetSuccessor(minted.issued.hash)
    }

    private func answer(
        _ reply: RefreshSessionScript.Reply, _ minted: AccessTokenIssuer.Minted, of session: Session, _ caller: Caller,
        _ outcome: inout IdentityMetrics.Refresh
    ) async throws(IdentityError) -> SessionTokens {
        let (issue, generation) = try await admitted(reply, session, caller, &outcome)
        try await tokens.delete(reply.revoked)
        await store.strike(reply.revoked, from: session.id)
        return await answer(issue, generation, minted.text, minted.issued.expiresAt, of: session, caller, &outcome)
    }

    private func answer(
        _ issue: RefreshSessionScript.Issue, _ generation: UInt32, _ accessToken: SecretString, _ expiresAt: Timestamp,
        of session: Session, _ caller: Caller, _ outcome: inout IdentityMetrics.Refresh
    ) async -> SessionTokens {
        outcome = issue.metric
        await note(
            .tokenRefreshed(issue), session.id, of: session.userID, client: session.clientID, by: .user(session.userID), caller)
        let successor = RefreshToken(session.id, generation: generation, salt: session.salt, key: key)
        return SessionTokens(
            session: session, accessToken: accessToken, accessTokenExpiresAt: expiresAt, refreshToken: successor.text,
            rotates: issue != .keep)
    }

    /// What the script issues. What it does not is finished here: the tokens of a session that is over are deleted.
    private func admitted(
        _ reply: RefreshSessionScript.Reply, _ session: Session, _ caller: Caller, _ outcome: inout IdentityMetrics.Refresh
    ) async throws(IdentityError) -> (RefreshSessionScript.Issue, generation: UInt32) {
        switch reply.outcome {
        case .issued(let issue, let generation):
            return (issue, generation)
        case .reuse:
            outcome = .reuse
            await note(.refreshReused, session.id, of: session.userID, client: session.clientID, by: .anonymous, caller)
            try await end(session.id, of: session.userID, reason: .refreshReused)
            throw .invalidRefreshToken
        case .ended(let reason):
            await note(.refreshRefused, session.id, of: session.userID, client: session.clientID, by: .anonymous, caller)
            let event = SessionEndNote(actor: .anonymous, clientID: session.clientID, caller: caller)
            try await end(session.id, of: session.userID, reason: reason, noting: event)
            throw reason == .userDeleted ? .userNotFound : .invalidRefreshToken
        case .missing:
            throw .invalidRefreshToken
        case .repeated:
            // Not asked for.
            throw .fault()
        }
    }

    /// Whose a refresh token is.
    /// - Throws: `IdentityError.invalidRefreshToken` when the mac does not hold or nothing is left of its session;
    ///   `unavailable`.
    func holder(of presented: SecretString) async throws(IdentityError) -> RefreshTokenHolder {
        guard let presented = PresentedRefreshToken(presented.revealedText) else { throw .invalidRefreshToken }
        switch try await store.record(presented.sessionID, at: system.now()) {
        case .live(let session):
            guard let token = presented.verified(salt: session.salt, key: key) else { throw .invalidRefreshToken }
            return .live(session, token)
        case .ended(let tombstone):
            guard let salt = tombstone.salt, let userID = tombstone.userID, presented.verified(salt: salt, key: key) != nil
            else { throw .invalidRefreshToken }
            return .ended(presented.sessionID, userID, tombstone.reason)
        case .missing:
            throw .invalidRefreshToken
        case .malformed:
            throw .fault()
        }
    }

    /// The client a session was begun for; a client that is gone takes its sessions with it.
    func client(of session: Session) async throws(IdentityError) -> Client {
        do throws(IdentityError) {
            return try await clients.client(session.clientID.text).client
        } catch .invalidClient {
            throw .invalidRefreshToken
        }
    }
}

extension RefreshSessionScript.Issue {
    fileprivate var metric: IdentityMetrics.Refresh {
        switch self {
        case .rotate: .rotate
        case .replay: .replay
        case .recover: .recover
        case .keep: .keep
        }
    }
}
