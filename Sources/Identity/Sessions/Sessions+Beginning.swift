package import Text

/// How sessions begin. Each begins with an `Authentication`, whoever has made it.
extension Sessions {
    /// Begins a session for somebody who has just proved who they are, with a grant for the client through which they did.
    /// - Parameters:
    ///   - refresh: whether each use of the refresh token replaces it.
    ///   - write: writes its access token as a client protocol wants it; nil for what the client's is.
    /// - Throws: `IdentityError.invalidCredentials` (`invalidProviderToken` where a provider's proof was the way in) when the user was disabled, deleted
    ///   or given a new password meanwhile, or the sessions were ended; `unavailable` when a store is.
    package func begin(
        _ authentication: Authentication, for client: Client, refresh: RefreshRotation.Mode = .rotating,
        terms: GrantTerms = GrantTerms(), caller: Caller, writing write: AccessTokenWriter? = nil
    ) async throws(IdentityError) -> SessionTokens {
        try await noting(authentication, client, caller) { () throws(IdentityError) in
            let tokens = try await tokenSession(authentication, client, refresh, terms, caller, write)
            return (tokens, tokens.session.id)
        }
    }

    /// Gives the tokens of a session once more whose first ones may have been lost: another access token, and the refresh token that it began with.
    /// It counts as a refresh.
    /// - Throws: `IdentityError.invalidToken` when it is over, or that refresh token has been replaced; `tooManyRequests`, `unavailable`.
    package func repeatTokens(of id: SessionID, for client: Client, caller: Caller) async throws(IdentityError) -> SessionTokens {
        guard case .live(let session) = try await store.record(id, at: system.now()), let grant = session.grant(.first),
            let refresh = grant.refresh, refresh.generation == RefreshRotation.firstGeneration
        else { throw .invalidToken }
        try await limiter.take(.refresh(id, caller), caller)
        let issued = try await token(for: client, beside: grant.id, in: id, terms: GrantTerms())
        let refreshToken = RefreshToken(session.id, generation: refresh.generation, salt: session.salt, key: key)
        return SessionTokens(
            session: session, grant: grant, accessToken: issued.accessToken,
            accessTokenExpiresAt: issued.accessTokenExpiresAt, refreshToken: refreshToken.text,
            rotates: refresh.mode == .rotating)
    }

    /// Begins a session that is held by a cookie, and ends the one whose cookie it replaces, at our own pages only if nothing else holds it. It has
    /// no grant, or one without tokens, in which access tokens can be issued.
    /// - Throws: as `begin`; when a store is unavailable no session has begun.
    package func beginWithCookie(
        _ authentication: Authentication, for client: Client, terms: CookieTerms, caller: Caller
    ) async throws(IdentityError) -> CookieSession {
        try await noting(authentication, client, caller) { () throws(IdentityError) in
            let begun = try await cookieSession(authentication, client, terms, caller)
            return (begun, begun.session.id)
        }
    }

    /// Begins a session of its own for what a client is to have when nobody is there (`offline_access`, OpenID Connect Core §11): it
    /// outlives the one in which the user has agreed, which must live.
    /// - Parameters:
    ///   - time: when the user agreed: what was allowed before all other sessions ended is void, though the one where that was asked for stays.
    ///   - joins: whether the client took part in that one, and is to hear of its end.
    /// - Throws: `IdentityError.invalidToken` when that session is over; else as `begin`.
    package func beginOffline(
        from id: SessionID, agreedAt time: Timestamp? = nil, for client: Client, refresh: RefreshRotation.Mode = .rotating,
        terms: GrantTerms = GrantTerms(),
        joins: Bool = false, caller: Caller
    ) async throws(IdentityError) -> SessionTokens {
        guard case .live(let seen) = try await store.record(id, at: system.now()) else { throw .invalidToken }
        // In this order: whoever ends the sessions raises the number that the user has, and this one does not begin.
        let user: User
        do throws(IdentityError) {
            user = try await users.user(seen.userID)
        } catch {
            throw error == .userNotFound ? .invalidToken : error
        }
        // The end is kept in whole seconds.
        if let time, let end = user.tokensValidAfter, seen.ownAuthenticatedAt < end, time.seconds <= end.seconds {
            throw .invalidToken
        }
        guard case .live(let session) = try await store.record(id, at: system.now()) else { throw .invalidToken }
        if joins { try await join(client, session) }
        let authentication = Authentication(
            of: user, by: session.methods, provider: session.provider, at: session.ownAuthenticatedAt, occasion: .continued)
        let begun = try await begin(authentication, for: client, refresh: refresh, terms: terms, caller: caller)
        // Whoever ends sessions one after the other may have missed this one, and has ended that one by now, or finds this one later
        // (`signOutEverywhere`).
        do throws(IdentityError) {
            guard case .live = try await store.record(id, at: system.now()) else { throw .invalidToken }
        } catch {
            await discard(begun.session)
            throw error
        }
        return begun
    }

    /// Gives a client that may act for users an access token on its own word (RFC 7523 §2.1). Nobody has proved who they are by that. There is one
    /// session for it, however often the client comes: else it would push those of the user's devices out.
    /// - Throws: `IdentityError.invalidCredentials` when the user is gone or disabled; else as `begin`.
    package func delegatedToken(
        for userID: UserID, client: Client, terms: GrantTerms, caller: Caller
    ) async throws(IdentityError) -> GrantTokens {
        let user: User
        do throws(IdentityError) {
            user = try await users.user(userID)
        } catch {
            throw error == .userNotFound ? .invalidCredentials : error
        }
        guard !user.isDisabled else { throw .invalidCredentials }
        if let kept = try await delegated(by: userID, to: client) {
            do throws(IdentityError) {
                return try await token(for: client, in: kept, terms: terms)
            } catch {
                // It may have ended meanwhile.
                guard error == .invalidToken else { throw error }
            }
        }
        let authentication = Authentication(of: user, by: [], at: system.now(), occasion: .continued)
        let begun = try await begin(authentication, for: client, refresh: .rotating, terms: terms, caller: caller)
        return GrantTokens(
            session: begun.session, grant: begun.grant, accessToken: begun.accessToken,
            accessTokenExpiresAt: begun.accessTokenExpiresAt, refreshToken: nil)
    }

    /// The session of a user that a client has on its own word, if it lives as long as a new access token.
    private func delegated(by userID: UserID, to client: Client) async throws(IdentityError) -> SessionID? {
        let now = system.now()
        return try await store.sessions(of: userID, at: now).first { session in
            session.clientID == client.id && session.methods.isEmpty && session.provider == nil && !session.isHeldByCookie
                && session.absoluteEnd.duration(since: session.time(at: now)) > client.accessTokenLifetime
        }?.id
    }

    private func tokenSession(
        _ authentication: Authentication, _ client: Client, _ refresh: RefreshRotation.Mode, _ terms: GrantTerms,
        _ caller: Caller,
        _ write: AccessTokenWriter?
    ) async throws(IdentityError) -> SessionTokens {
        let now = system.now()
        let grant = Grant(.first, to: client, refresh: refresh, terms)
        let session = Session(
            id: SessionID(random: system.random(SessionID.byteCount)), of: authentication, clientID: client.id, caller,
            salt: SessionSalt(random: system.random(SessionSalt.byteCount)), absoluteLife: client.sessionLifetime.absolute,
            grants: [grant], at: now)
        try issuer.checkReadiness()
        let (begun, minted) = try await beginOrDiscard(
            session, with: authentication, idle: client.sessionLifetime.idle, caller, at: now
        ) { session throws(IdentityError) in
            if let write {
                try issuer.mint(for: grant, of: session, client: client, at: session.createdAt, write)
            } else {
                try issuer.mint(
                    for: grant.first(terms), of: session, client: client, leeway: terms.leeway, actors: terms.actors,
                    end: terms.end, at: session.createdAt)
            }
        }
        guard let minted else { throw .fault() }
        let refreshToken = RefreshToken(session.id, generation: grant.generation, salt: session.salt, key: key)
        return SessionTokens(
            session: begun, grant: grant, accessToken: minted.text, accessTokenExpiresAt: minted.issued.expiresAt,
            refreshToken: refreshToken.text, rotates: grant.refresh?.mode == .rotating)
    }

    private func cookieSession(
        _ authentication: Authentication, _ client: Client, _ terms: CookieTerms, _ caller: Caller
    ) async throws(IdentityError) -> CookieSession {
        let now = system.now()
        let session = Session(
            id: SessionID(random: system.random(SessionID.byteCount)), of: authentication, clientID: client.id, caller,
            salt: SessionSalt(random: system.random(SessionSalt.byteCount)), absoluteLife: terms.lifetime.absolute,
            cookieIdleLife: terms.lifetime.idle,
            grants: terms.hasGrant ? [Grant(.first, to: client, refresh: nil, GrantTerms())] : [], at: now)
        let (begun, _) = try await beginOrDiscard(
            session, with: authentication, idle: terms.lifetime.idle, caller, at: now
        ) { _ in nil }
        do throws(IdentityError) {
            if let browser = terms.browser {
                try await enter(begun, in: browser, terms, caller)
            } else if let replaced = terms.replaced {
                try await signOut(replaced, use: terms.use, caller: caller)
            }
        } catch {
            await discard(begun)
            throw error
        }
        return CookieSession(begun, use: terms.use, usedAt: begun.lastUsedAt, key: key)
    }

    /// Begins a session, or leaves nothing of it; an excess one makes room for it. Returns it as it is kept.
    /// - Parameter mint: makes its first access token, for the session as it is dated by who keeps it; nil for none.
    private func beginOrDiscard(
        _ session: Session, with authentication: Authentication, idle: Duration, _ caller: Caller, at now: Timestamp,
        _ mint: (Session) throws(IdentityError) -> AccessTokenIssuer.Minted?
    ) async throws(IdentityError) -> (Session, AccessTokenIssuer.Minted?) {
        var minted: AccessTokenIssuer.Minted?
        let (begun, count): (Session, Int)
        do throws(IdentityError) {
            let kept = try await store.begin(session, idle: idle, at: now) { dated throws(IdentityError) in
                minted = try mint(dated)
                return minted.map { NewAccessToken(issued: $0.issued, record: $0.record) }
            }
            guard let kept else { throw .invalidCredentials }
            // In this order: whoever disables the user from here on finds this session, and whoever has done it before is found here. Nobody
            // has anything of the session until then.
            if let enrol = authentication.enrolment {
                try await enrol()
            } else {
                try await users.recordSignIn(of: authentication.user, at: now)
            }
            (begun, count) = kept
        } catch {
            await discard(session)
            throw error
        }
        if count > limitPerUser {
            await endExcess(sparing: session, isSignIn: authentication.occasion.isSignIn, caller)
        }
        return (begun, minted)
    }

    /// Stores what introspection says of a token that has been minted.
    func keep(_ minted: AccessTokenIssuer.Minted, at now: Timestamp) async throws(IdentityError) {
        try await mapServiceFailures { () throws(ServiceFailure) in
            try await tokens.store(
                minted.record, for: minted.issued.hash, life: .milliseconds(minted.issued.life(at: now)))
        }
    }

    /// Takes back what there is of a session that could not begin. Nobody holds a token of it, so nobody is told, and a failure does little harm.
    private func discard(_ session: Session) async {
        guard let reply = try? await store.end(session.id, reason: .revoked, at: system.now()) else { return }
        _ = try? await tokens.forgetting(reply.revoked) { () throws(IdentityError) in
            try await store.finishEnd(of: session.id, of: session.userID, deleting: reply.revoked, isRecorded: false)
        }
    }

    /// Counts a sign-in, and puts it on record: that it has come to a session, or that the account has changed since the credentials were found
    /// right.
    private func noting<Begun>(
        _ authentication: Authentication, _ client: Client, _ caller: Caller,
        _ begin: () async throws(IdentityError) -> (Begun, SessionID)
    ) async throws(IdentityError) -> Begun {
        let user = authentication.user
        do throws(IdentityError) {
            let (begun, id) = try await begin()
            authentication.occasion.count(in: metrics)
            if authentication.occasion.isSignIn {
                await note(
                    .userSignedIn, id, of: user.id, client: client.id, by: .user(user.id), caller,
                    detail: authentication.occasion.detail)
            }
            return begun
        } catch {
            authentication.occasion.count(error, in: metrics)
            guard error == .invalidCredentials, authentication.occasion.isSignIn else { throw error }
            await note(
                .signInFailed(.accountChanged), nil, of: user.id, client: client.id, by: .anonymous, caller,
                detail: authentication.occasion.detail)
            throw authentication.provider == nil ? .invalidCredentials : .invalidProviderToken
        }
    }
}
