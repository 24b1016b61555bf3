package import Text

/// What a client wants of a refresh beyond the rule.
package struct RefreshOptions: Sendable {
    /// A grant that keeps its token rotates from now on. For some clients that is the rule, whatever is asked for.
    package var rotation = false
    /// A repeated refresh gives the very access token again that the first has given, as far as it is still good.
    package var sameAccessToken = false
    /// How much longer than usual the access token lives.
    package var leeway: Duration = .zero
    /// The client that presents the refresh token: one that was issued to another is refused (RFC 6749 §10.4). Nil for whoever has it.
    package var client: ClientID?
    /// What this access token is good for, out of what the grant is; nil for all of it (RFC 6749 §6).
    package var scopes: [String]?
    /// Whom this access token is for; nil for the grant's.
    package var audiences: [String]?
    /// The key that this access token is bound to; nil for the grant's (RFC 9449 §5).
    package var confirmation: KeyConfirmation?

    package init(
        rotation: Bool = false, sameAccessToken: Bool = false, leeway: Duration = .zero, for client: ClientID? = nil
    ) {
        self.client = client
        self.rotation = rotation
        self.sameAccessToken = sameAccessToken
        self.leeway = leeway
    }
}

extension Sessions {
    /// Exchanges a refresh token (RFC 6749 §6) by the rule of `RefreshRotation`.
    ///
    /// - Parameters:
    ///   - presented: what the client sent as its refresh token.
    ///   - prepare: finds out how a client protocol wants the access token of a session written; nil for what the client's is.
    /// - Throws: `IdentityError.invalidRefreshToken`; `userNotFound` when the token was good and the account has been deleted;
    ///   `tooManyRequests`; `unavailable` when a store is. Within the grace the request may be repeated, whatever became of it.
    package func refresh(
        _ presented: SecretString, _ options: RefreshOptions, caller: Caller,
        writing prepare: ((Session) async throws(IdentityError) -> AccessTokenWriter)? = nil
    ) async throws(IdentityError) -> SessionTokens {
        var outcome = IdentityMetrics.Refresh.refused
        defer { metrics.count(outcome) }
        do throws(IdentityError) {
            let chain = try await verified(presented, options.client, caller)
            return try await exchange(chain, options, caller, &outcome, prepare)
        } catch {
            if error.isOurs, outcome != .reuse { outcome = .unavailable }
            throw error
        }
    }

    /// A refresh token whose mac holds, and what it belongs to.
    private struct Chain {
        let session: Session
        let grant: Grant
        let token: RefreshToken
    }

    /// The session and the token that may be exchanged, as far as the mac tells. What cannot be is counted before anything is put on record; what
    /// can is counted where it is exchanged, in one step. A session's budget is for tokens that their client presents; what only names it, and what
    /// another client presents, counts with the address alone.
    private func verified(
        _ presented: SecretString, _ client: ClientID?, _ caller: Caller
    ) async throws(IdentityError) -> Chain {
        let holder: RefreshTokenHolder
        do throws(IdentityError) {
            holder = try await self.holder(of: presented)
        } catch .invalidRefreshToken where PresentedRefreshToken(presented.revealedText) != nil {
            try await limiter.take(.failedRefresh(caller), caller)
            throw .invalidRefreshToken
        }
        switch holder {
        case .live(let session, let grant, let token):
            guard let grant, client == nil || client == grant.clientID else {
                // The budget is for those who could exchange it: nobody else uses it up.
                try await limiter.take(.failedRefresh(caller), caller)
                await noteRefusal(of: session.id, session.userID, client: nil, caller)
                throw .invalidRefreshToken
            }
            return Chain(session: session, grant: grant, token: token)
        case .ended(let id, let userID, let reason):
            try await limiter.take(.failedRefresh(caller), caller)
            // Whoever ended it may not have got to the end.
            try await endUnread(
                id, of: userID, reason: reason, noting: SessionEndNote(actor: .anonymous, clientID: nil, caller: caller))
            await noteRefusal(of: id, userID, client: nil, caller)
            throw reason == .userDeleted ? .userNotFound : .invalidRefreshToken
        }
    }

    private func exchange(
        _ verified: Chain, _ options: RefreshOptions, _ caller: Caller, _ outcome: inout IdentityMetrics.Refresh,
        _ prepare: ((Session) async throws(IdentityError) -> AccessTokenWriter)?
    ) async throws(IdentityError) -> SessionTokens {
        let (session, token) = (verified.session, verified.token)
        let client = try await client(of: verified, caller)
        let chain = Chain(session: session, grant: verified.grant.within(client, issuer.installation), token: token)
        let write: AccessTokenWriter? = if let prepare { try await prepare(session) } else { nil }
        let now = session.time(at: system.now())
        let rotation = options.rotation || client.rotatesRefreshTokens
        let grant = chain.grant.narrowed(by: options)
        let minted: AccessTokenIssuer.Minted
        if let write {
            minted = try issuer.mint(for: grant, of: session, client: client, at: now, write)
        } else {
            minted = try issuer.mint(for: grant, of: session, client: client, leeway: options.leeway, at: now)
        }
        do throws(IdentityError) {
            if options.sameAccessToken { try await keep(minted, parent: token) }
            let request = RefreshSessionScript.Request(
                sessionID: session.id, grant: chain.grant.id, generation: token.generation, wantsRotation: rotation,
                accessToken: minted.issued, record: minted.record, repeatsSuccessor: options.sameAccessToken)
            let reply = try await counted(request, of: chain.grant, idle: client.sessionLifetime.idle, at: now, caller)
            if case .repeated(let hash, let generation) = reply.outcome {
                let successor = try await mapServiceFailures { () throws(ServiceFailure) in try await store.successor(hash) }
                if let kept = successor?.open(token, hash: hash) {
                    await store.forgetSuccessor(minted.issued.hash)
                    return await answer(.replay, generation, kept.accessToken, kept.expiresAt, of: chain, caller, &outcome)
                }
                let second = try await store.refresh(request.withoutRepetition, idle: client.sessionLifetime.idle, at: now)
                return try await answer(second, minted, of: chain, caller, &outcome)
            }
            return try await answer(reply, minted, of: chain, caller, &outcome)
        } catch {
            // Of what was refused only the successor is there.
            if error.isOurs || options.sameAccessToken { await discard(minted) }
            throw error
        }
    }

    /// Counts the exchange and carries it out, in one step.
    private func counted(
        _ request: RefreshSessionScript.Request, of grant: Grant, idle: Duration, at now: Timestamp, _ caller: Caller
    ) async throws(IdentityError) -> RefreshSessionScript.Reply {
        let own: LimitBucket? = grant.confirmation == nil ? .refreshSession : nil
        let charge = limiter.charge(.refresh(request.sessionID, caller), keeping: own)
        let (reply, verdicts) = try await store.refresh(request, counting: charge, idle: idle, at: now)
        if let charge { try await limiter.settle(charge, verdicts, caller) }
        guard let reply else { throw .fault() }
        return reply
    }

    /// Lets whoever presents the parent again have this access token.
    private func keep(_ minted: AccessTokenIssuer.Minted, parent: RefreshToken) async throws(IdentityError) {
        guard policy.grace > .zero else { return }
        guard let sealed = try? SealedSuccessor(minted.text, minted.issued, parent: parent) else { throw .fault() }
        try await mapServiceFailures { () throws(ServiceFailure) in
            try await store.keep(sealed, for: minted.issued.hash, life: policy.grace)
        }
    }

    /// Takes back an access token that nobody gets, so a failure here does no harm.
    private func discard(_ minted: AccessTokenIssuer.Minted) async {
        try? await tokens.delete([minted.issued.hash])
        await store.forgetSuccessor(minted.issued.hash)
    }

    private func answer(
        _ reply: RefreshSessionScript.Reply, _ minted: AccessTokenIssuer.Minted, of chain: Chain, _ caller: Caller,
        _ outcome: inout IdentityMetrics.Refresh
    ) async throws(IdentityError) -> SessionTokens {
        let (issue, generation) = try await admitted(reply, chain, caller, &outcome)
        try await revoke(reply.revoked, in: chain.session.id)
        return await answer(issue, generation, minted.text, minted.issued.expiresAt, of: chain, caller, &outcome)
    }

    private func answer(
        _ issue: RefreshSessionScript.Issue, _ generation: UInt32, _ accessToken: SecretString, _ expiresAt: Timestamp,
        of chain: Chain, _ caller: Caller, _ outcome: inout IdentityMetrics.Refresh
    ) async -> SessionTokens {
        let (session, grant) = (chain.session, chain.grant)
        outcome = issue.metric
        await note(
            .tokenRefreshed(issue), session.id, of: session.userID, client: grant.clientID, by: .user(session.userID), caller)
        let successor = RefreshToken(session.id, grant: grant.id, generation: generation, salt: session.salt, key: key)
        return SessionTokens(
            session: session, grant: grant, accessToken: accessToken, accessTokenExpiresAt: expiresAt,
            refreshToken: successor.text,
            rotates: issue != .keep)
    }

    /// What the script issues. What it does not is finished here: the tokens of a session that is over are deleted.
    private func admitted(
        _ reply: RefreshSessionScript.Reply, _ chain: Chain, _ caller: Caller, _ outcome: inout IdentityMetrics.Refresh
    ) async throws(IdentityError) -> (RefreshSessionScript.Issue, generation: UInt32) {
        let (session, clientID) = (chain.session, chain.grant.clientID)
        switch reply.outcome {
        case .issued(let issue, let generation):
            return (issue, generation)
        case .reuse:
            outcome = .reuse
            await note(.refreshReused, session.id, of: session.userID, client: clientID, by: .anonymous, caller)
            try await endUnread(session.id, of: session.userID, reason: .refreshReused, knowing: reply.records)
            throw .invalidRefreshToken
        case .ended(let reason):
            await noteRefusal(of: session.id, session.userID, client: clientID, caller)
            let event = SessionEndNote(actor: .anonymous, clientID: clientID, caller: caller)
            try await endUnread(session.id, of: session.userID, reason: reason, noting: event)
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
            return .live(session, session.grant(presented.grant), token)
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

    /// The client of a grant; one that is gone takes its grants with it.
    private func client(of chain: Chain, _ caller: Caller) async throws(IdentityError) -> Client {
        do throws(IdentityError) {
            return try await clients.client(chain.grant.clientID.text).client
        } catch .invalidClient {
            try await limiter.take(.refresh(chain.session.id, caller), caller)
            throw .invalidRefreshToken
        }
    }
}

extension Grant {
    /// As one access token is to have it.
    fileprivate func narrowed(by options: RefreshOptions) -> Grant {
        Grant(
            id: id, clientID: clientID, scopes: options.scopes ?? scopes, audiences: options.audiences ?? audiences,
            refresh: refresh, confirmation: options.confirmation ?? confirmation)
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
