package import Text

extension Sessions {
    /// The session of a cookie.
    /// - Parameter slides: whether this counts as use and puts off the idle end.
    /// - Throws: `IdentityError.invalidToken`: the cookie is none, or its session is over; `unavailable`.
    package func session(
        of cookie: SecretString, use: CookieUse, slides: Bool
    ) async throws(IdentityError) -> CookieSession {
        guard case .live(let session) = try await holder(of: cookie, use: use) else { throw .invalidToken }
        let now = system.now()
        guard slides else {
            guard session.time(at: now) < session.idleEnd(usedAt: session.lastUsedAt) else { throw .invalidToken }
            return CookieSession(session, use: use, usedAt: session.lastUsedAt, key: key)
        }
        guard let used = try await store.touch(session.id, at: now) else { throw .invalidToken }
        return CookieSession(session, use: use, usedAt: used, key: key)
    }

    /// Makes the cookie of a session void, and gives the session that has another one. Its other tokens stay as they are.
    /// - Throws: `IdentityError.invalidToken` when it is over; `unavailable`.
    package func changeCookie(of id: SessionID) async throws(IdentityError) -> Session {
        let salt = SessionSalt(random: system.random(SessionSalt.byteCount))
        guard try await store.changeCookie(of: id, salt), case .live(let session) = try await store.record(id, at: system.now())
        else {
            throw .invalidToken
        }
        return session
    }

    /// Ends the session of a cookie. One that is none, or no longer one, has nothing left to end.
    /// - Throws: `IdentityError.unavailable`; the session may live on then.
    package func signOut(_ cookie: SecretString, use: CookieUse, caller: Caller) async throws(IdentityError) {
        if let holder = try await known(cookie, use: use) { try await end(holder, caller) }
    }

    /// Also of one that is over: whoever ended it may not have got to the end.
    private func end(_ holder: CookieHolder, _ caller: Caller) async throws(IdentityError) {
        let note = SessionEndNote(actor: .user(holder.userID), clientID: holder.live?.clientID, caller: caller)
        try await end(holder.sessionID, of: holder.userID, reason: .signedOut, noting: note)
    }

    /// The session that signing out by a cookie is to end; nil for none. A cookie that has not been used for too long is good for that, too: clients may
    /// still use what they have from its session. Where it is over, its end is finished, and what its user has in other tabs of the browser ends.
    /// - Throws: `IdentityError.unavailable`.
    package func sessionToSignOut(
        of cookie: SecretString, use: CookieUse, in browser: String, caller: Caller
    ) async throws(IdentityError) -> CookieSession? {
        guard let holder = try await known(cookie, use: use) else { return nil }
        if let session = holder.live { return CookieSession(session, use: use, usedAt: session.lastUsedAt, key: key) }
        try await signOut(holder.userID, in: browser, beside: holder.sessionID, caller)
        try await end(holder, caller)
        return nil
    }

    /// Whose session a cookie was that is over; nil for one that lives, and for what is no cookie of ours.
    /// - Throws: `IdentityError.unavailable`.
    package func formerUser(of cookie: SecretString, use: CookieUse) async throws(IdentityError) -> UserID? {
        guard case .ended(_, let userID)? = try await known(cookie, use: use) else { return nil }
        return userID
    }

    /// Ends the sessions that a user has begun in a browser (`CookieTerms.browser`): also those of tabs that signed in at the same time, whose cookies
    /// are lost.
    /// - Parameter last: which to end last, that of the cookie: after a failure it can ask again.
    /// - Returns: those that lived.
    /// - Throws: `IdentityError.unavailable`.
    package func signOut(
        _ userID: UserID, in browser: String, last: Session?, caller: Caller
    ) async throws(IdentityError) -> [Session] {
        let index = BrowserIndex(redis: store.redis)
        let ids = try await index.sessions(of: browser, userID)
        var ended: [Session] = []
        for id in ids where id != last?.id {
            if case .live(let session) = try await store.record(id, at: system.now()) { ended.append(session) }
            try await finish(id, of: userID, caller)
        }
        if let last {
            ended.append(last)
            try await finish(last.id, of: userID, caller)
        }
        await index.leave(ids, of: browser, userID)
        return ended
    }

    /// Ends what a user still has in a browser where one of their sessions has ended elsewhere. Where that has left the index, the browser has
    /// signed out or in again since, and its cookie is an old one, which somebody else may have: it ends nothing.
    private func signOut(
        _ userID: UserID, in browser: String, beside ended: SessionID, _ caller: Caller
    ) async throws(IdentityError) {
        guard try await BrowserIndex(redis: store.redis).sessions(of: browser, userID).contains(ended) else { return }
        _ = try await signOut(userID, in: browser, last: nil, caller: caller)
    }

    /// Ends a session of which nothing may be left by now, because somebody else was faster.
    private func finish(_ id: SessionID, of userID: UserID, _ caller: Caller) async throws(IdentityError) {
        do throws(IdentityError) {
            try await end(id, of: userID, reason: .signedOut, caller: caller)
        } catch {
            guard error == .sessionNotFound else { throw error }
        }
    }

    /// Ends the session of a cookie that another takes the place of; where somebody else has signed in, all that its user has in the browser.
    func end(
        replaced cookie: SecretString, by session: Session, _ terms: CookieTerms, _ caller: Caller
    ) async throws(IdentityError) {
        guard let former = try await known(cookie, use: terms.use) else { return }
        if let browser = terms.browser, former.userID != session.userID {
            if let last = former.live {
                _ = try await signOut(former.userID, in: browser, last: last, caller: caller)
                return
            }
            try await signOut(former.userID, in: browser, beside: former.sessionID, caller)
        }
        try await end(former, caller)
        // Those that are over would push out others.
        if let browser = terms.browser {
            await BrowserIndex(redis: store.redis).leave([former.sessionID], of: browser, former.userID)
        }
    }

    /// Nil for what is no cookie of ours.
    private func known(_ cookie: SecretString, use: CookieUse) async throws(IdentityError) -> CookieHolder? {
        do throws(IdentityError) {
            return try await holder(of: cookie, use: use)
        } catch .invalidToken {
            return nil
        }
    }

    private enum CookieHolder {
        case live(Session)
        case ended(SessionID, UserID)

        var live: Session? {
            if case .live(let session) = self { session } else { nil }
        }

        var sessionID: SessionID {
            switch self {
            case .live(let session): session.id
            case .ended(let id, _): id
            }
        }

        var userID: UserID {
            switch self {
            case .live(let session): session.userID
            case .ended(_, let userID): userID
            }
        }
    }

    /// Whose a cookie is.
    /// - Throws: `IdentityError.invalidToken` when the mac does not hold or nothing is left of its session; `unavailable`.
    private func holder(of cookie: SecretString, use: CookieUse) async throws(IdentityError) -> CookieHolder {
        guard let presented = PresentedSessionCookie(cookie) else { throw .invalidToken }
        switch try await store.record(presented.sessionID, at: system.now()) {
        case .live(let session):
            // Clients of rest-auth have a cookie beside their other tokens.
            guard session.isHeldByCookie || use == .restAuth,
                presented.isGenuine(use: use, salt: session.saltOfCookies, key: key)
            else {
                throw .invalidToken
            }
            return .live(session)
        case .ended(let tombstone):
            guard let salt = tombstone.salt, let userID = tombstone.userID,
                presented.isGenuine(use: use, salt: salt, key: key)
            else { throw .invalidToken }
            return .ended(presented.sessionID, userID)
        case .missing:
            throw .invalidToken
        case .malformed:
            throw .fault()
        }
    }
}
