package import Text

extension Sessions {
    /// Exchanges a refresh token (RFC 6749 §6) by the rule of `RefreshRotation`.
    ///
    /// - Parameters:
    ///   - presented: what the client sent as its refresh token.
    ///   - wantsRotation: a session that keeps its token rotates from now on.
    /// - Throws: `IdentityError.invalidRefreshToken`; `userNotFound` when the token was good and the account has been deleted;
    ///   `unavailable` when a store is. Within the grace the request may be repeated, whatever became of it.
    package func refresh(
        _ presented: SecretString, wantsRotation: Bool, caller: Caller
    ) async throws(IdentityError) -> SessionTokens {
        var outcome = IdentityMetrics.Refresh.refused
        defer { metrics.count(outcome) }
        do throws(IdentityError) {
            let (session, token) = try await refreshable(presented, caller)
            return try await exchange(token, of: session, wantsRotation: wantsRotation, caller, &outcome)
        } catch {
            if error.isOurs, outcome != .reuse { outcome = .unavailable }
            throw error
        }
    }

    /// The session and the token that may be exchanged, as far as the mac tells.
    private func refreshable(
        _ presented: SecretString, _ caller: Caller
    ) async throws(IdentityError) -> (Session, RefreshToken) {
        switch try await holder(of: presented) {
        case .live(let session, let token):
            return (session, token)
        case .ended(let id, let userID, let reason):
            // Whoever ended it may not have got to the end.
            _ = try await end(id, of: userID, reason: reason)
            await note(.refreshRefused, id, of: userID, client: nil, by: .anonymous, caller)
            throw reason == .userDeleted ? .userNotFound : .invalidRefreshToken
        }
    }

    private func exchange(
        _ token: RefreshToken, of session: Session, wantsRotation: Bool, _ caller: Caller,
        _ outcome: inout IdentityMetrics.Refresh
    ) async throws(IdentityError) -> SessionTokens {
        let client = try await client(of: session)
        let now = ambience.now()
        let minted = try issuer.mint(for: session, client: client, at: now)
        do throws(IdentityError) {
            try await tokens.store(minted.record, for: minted.issued.hash, life: minted.issued.expiresAt.duration(since: now))
            let request = RefreshSessionScript.Request(
                sessionID: session.id, generation: token.generation, wantsRotation: wantsRotation, accessToken: minted.issued)
            let reply = try await store.refresh(request, idle: client.sessionLifetime.idle, at: now)
            let (issue, generation) = try await admitted(reply, session, caller, &outcome)
            try await tokens.delete(reply.revoked)
            await store.strike(reply.revoked, from: session.id)
            outcome = issue.metric
            await note(
                .tokenRefreshed(issue), session.id, of: session.userID, client: client.id, by: .user(session.userID), caller)
            let successor = RefreshToken(session.id, generation: generation, salt: session.salt, key: key)
            return SessionTokens(
                session: session, accessToken: minted.text, accessTokenExpiresAt: minted.issued.expiresAt,
                refreshToken: successor.text)
        } catch {
            // Nobody gets it, so a failure here does no harm.
            try? await tokens.delete([minted.issued.hash])
            throw error
        }
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
            _ = try await end(session.id, of: session.userID, reason: .refreshReused)
            throw .invalidRefreshToken
        case .ended(let reason):
            await note(.refreshRefused, session.id, of: session.userID, client: session.clientID, by: .anonymous, caller)
            _ = try await end(session.id, of: session.userID, reason: reason)
            throw reason == .userDeleted ? .userNotFound : .invalidRefreshToken
        case .missing:
            throw .invalidRefreshToken
        }
    }

    /// Whose a refresh token is.
    /// - Throws: `IdentityError.invalidRefreshToken` when the mac does not hold or nothing is left of its session;
    ///   `unavailable`.
    func holder(of presented: SecretString) async throws(IdentityError) -> RefreshTokenHolder {
        guard let presented = PresentedRefreshToken(presented.revealedText) else { throw .invalidRefreshToken }
        switch try await store.record(presented.sessionID) {
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
            throw .internalFault
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
