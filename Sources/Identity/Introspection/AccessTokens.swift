import JOSE
package import Text

/// Our own access tokens, presented to us: by users at their own endpoints, and by clients who revoke them.
package final class AccessTokens: Sendable {
    private let tokens: AccessTokenStore
    private let sessions: Sessions
    private let issuer: AccessTokenIssuer
    private let users: UserStore
    private let rule: AccountAccessRule

    /// - Parameter ownClients: the apps of this installation, whose tokens open our own endpoints.
    package init(
        tokens: AccessTokenStore, sessions: Sessions, issuer: AccessTokenIssuer, users: UserStore, ownClients: Set<ClientID>
    ) {
        rule = AccountAccessRule(audience: issuer.installation.audience, clients: ownClients)
        self.tokens = tokens
        self.sessions = sessions
        self.issuer = issuer
        self.users = users
    }

    /// Whom a live access token speaks for, whatever it is good for.
    /// - Throws: `IdentityError.invalidToken`, `unavailable`.
    package func authenticate(_ token: SecretString) async throws(IdentityError) -> Principal {
        guard let record = try await stored(AccessTokenHash(of: token.revealedText)),
            let principal = Principal(record, in: issuer.installation)
        else { throw .invalidToken }
        return principal
    }

    /// The user of a live access token that opens what is asked for.
    /// - Throws: `IdentityError.invalidToken`, for one that opens something else too; `userNotFound` for a token that was good until its user was deleted;
    ///   `unavailable`.
    /// - Parameter key: that whose possession the request has proved (RFC 9449 §7): a token that is bound to one is good with it alone.
    package func authenticate(
        _ token: SecretString, for access: AccountAccess, with key: KeyConfirmation? = nil
    ) async throws(IdentityError) -> AuthenticatedUser {
        guard let record = try await stored(AccessTokenHash(of: token.revealedText)) else {
            throw await reason(for: token)
        }
        return try user(record, access, key)
    }

    private func user(
        _ record: [UInt8], _ access: AccountAccess, _ key: KeyConfirmation? = nil
    ) throws(IdentityError) -> AuthenticatedUser {
        guard let principal = Principal(record, in: issuer.installation), rule.permits(access, principal),
            principal.confirmation == key, let user = principal.user
        else { throw .invalidToken }
        return user
    }

    /// Ends the session of an access token that is good, or has expired no longer ago than `lateness`: who signs out must not have
    /// to refresh first. Of several at once, each that has found the token good succeeds.
    /// - Throws: `IdentityError.invalidToken` when it is none, has been revoked, or its session is over; `unavailable`: the session
    ///   may live on then.
    package func signOut(_ token: SecretString, lateness: Duration, caller: Caller) async throws(IdentityError) {
        let (userID, sessionID, wasGood) = try await holder(of: token, lateness: lateness)
        do throws(IdentityError) {
            let lived = try await sessions.ending(sessionID, of: userID, reason: .signedOut, caller: caller)
            guard lived || wasGood else { throw .sessionNotFound }
        } catch .sessionNotFound {
            throw .invalidToken
        }
    }

    /// The session of an access token that is good no more because somebody has ended the session, within at least the life of a
    /// tombstone: nothing is left to do for who wants to end it. Nil for any other token.
    /// - Throws: `IdentityError.unavailable`.
    package func endedSession(of token: SecretString) async throws(IdentityError) -> SessionID? {
        guard let claims = issuer.unrevokedClaims(token.revealedText), rule.permits(.signOut, claims),
            let userID = claims.subject.flatMap({ UserID($0) }), let id = claims["sid"]?.stringValue.flatMap({ SessionID($0) }),
            case .ended(let tombstone) = try await sessions.store.record(id, at: sessions.system.now()),
            tombstone.userID == userID
        else { return nil }
        return id
    }

    private func holder(
        of token: SecretString, lateness: Duration
    ) async throws(IdentityError) -> (UserID, SessionID, wasGood: Bool) {
        if let record = try await stored(AccessTokenHash(of: token.revealedText)) {
            let user = try user(record, .signOut)
            return (user.userID, user.sessionID, wasGood: true)
        }
        // One that has expired is stored no more, but its signature still says whose it was. One that has not was revoked.
        let now = sessions.system.now()
        guard let claims = issuer.unrevokedClaims(token.revealedText), let expiresAt = claims.expiresAt, expiresAt <= now,
            now.duration(since: expiresAt) <= lateness, rule.permits(.signOut, claims),
            let userID = claims.subject.flatMap({ UserID($0) }),
            let sessionID = claims["sid"]?.stringValue.flatMap({ SessionID($0) })
        else { throw .invalidToken }
        return (userID, sessionID, wasGood: false)
    }

    /// Makes a token for a client of one that a user's client has (RFC 8693). It ends with the grant and the session of that, and when that is
    /// revoked.
    /// - Throws: `IdentityError.invalidToken` when it is not good any more; `unavailable`.
    package func exchange(
        _ source: SecretString, of user: AuthenticatedUser, for client: Client, terms: GrantTerms
    ) async throws(IdentityError) -> GrantTokens {
        let issued = try await sessions.token(for: client, beside: user.grant, in: user.sessionID, terms: terms)
        let (hash, made) = (
            AccessTokenHash(of: source.revealedText), AccessTokenHash(of: issued.accessToken.revealedText)
        )
        do throws(IdentityError) {
            let end = max(terms.end ?? issued.accessTokenExpiresAt, issued.accessTokenExpiresAt)
            let now = issued.session.time(at: sessions.system.now())
            let life = end.duration(since: now) + .seconds(60)
            try await mapServiceFailures { () throws(ServiceFailure) in try await tokens.bind(made, to: hash, life: life) }
            // After that: who revokes the source from here on finds what was made of it, and who has done so before is seen here.
            guard try await stored(hash) != nil else { throw .invalidToken }
        } catch {
            try? await sessions.revoke([made], in: user.sessionID)
            throw error
        }
        return issued
    }

    private func stored(_ token: AccessTokenHash) async throws(IdentityError) -> [UInt8]? {
        try await mapServiceFailures { () throws(ServiceFailure) in try await tokens.record(token) }
    }

    /// Revokes an access or a refresh token on behalf of its client (RFC 7009 §2.1): an access token with what was exchanged for it, a refresh token
    /// with its grant, and with the session if nothing else holds it. A token that is none, or no longer one, is no error.
    /// - Throws: `IdentityError.clientNotPermitted` for another client's token, which stays; `unavailable`: it may still be
    ///   good.
    package func revoke(_ token: SecretString, for client: Client, caller: Caller) async throws(IdentityError) {
        if token.revealedText.utf8.starts(with: RefreshToken.prefix.utf8) {
            try await revokeRefreshToken(token, for: client, caller)
        } else {
            try await revokeAccessToken(token, for: client, caller)
        }
    }

    private func revokeRefreshToken(_ token: SecretString, for client: Client, _ caller: Caller) async throws(IdentityError) {
        do throws(IdentityError) {
            let holder = try await sessions.holder(of: token)
            // Of a session that has ended nobody knows the client any more, and anybody may finish its end.
            if let owner = holder.clientID, owner != client.id { throw .clientNotPermitted }
            switch holder {
            case .live(let session, _, let token):
                try await sessions.endGrant(
                    token.grant, in: session.id, of: session.userID, client: client.id, by: .client(client.id), caller)
            case .ended: try await sessions.end(holder, reason: .revoked, by: .client(client.id), caller)
            }
        } catch .invalidRefreshToken {
            return
        }
    }

    private func revokeAccessToken(_ token: SecretString, for client: Client, _ caller: Caller) async throws(IdentityError) {
        let hash = AccessTokenHash(of: token.revealedText)
        guard let record = try await stored(hash), let principal = Principal(record, in: issuer.installation) else {
            // A revocation that has failed half-way is finished.
            return try await mapServiceFailures { () throws(ServiceFailure) in try await tokens.endDescendants(of: [hash]) }
        }
        guard principal.clientID == client.id else { throw .clientNotPermitted }
        try await mapServiceFailures { () throws(ServiceFailure) in
            try await tokens.end([hash], knowing: [record])
            try await tokens.endDescendants(of: [hash])
        }
        guard let user = principal.user else { return }
        await sessions.store.strike([hash], from: user.sessionID)
        await sessions.note(
            .tokenRevoked, user.sessionID, of: user.userID, client: client.id, by: .client(client.id), caller)
    }

    /// Why a token that is not stored is not good: its user may be gone, which only a token of ours may learn. While that cannot
    /// be told, the token is still none.
    private func reason(for token: SecretString) async -> IdentityError {
        guard let claims = issuer.unrevokedClaims(token.revealedText), rule.permits(.read, claims),
            let subject = claims.subject.flatMap({ UserID($0) }), let expiresAt = claims.expiresAt,
            expiresAt > sessions.system.now()
        else { return .invalidToken }
        do throws(IdentityError) {
            _ = try await users.user(subject)
            return .invalidToken
        } catch {
            return error == .userNotFound ? .userNotFound : .invalidToken
        }
    }
}
