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
    func end(_ holder: CookieHolder, _ caller: Caller) async throws(IdentityError) {
        if case .expired = holder { return }
        let note = SessionEndNote(actor: .user(holder.userID), clientID: holder.session?.clientID, caller: caller)
        if let session = holder.session {
            try await end(session, reason: .signedOut, noting: note)
        } else {
            try await endUnread(holder.sessionID, of: holder.userID, reason: .signedOut, noting: note)
        }
    }

    /// Whose session a cookie was that is over; nil for one that lives, and for what is no cookie of ours.
    /// - Throws: `IdentityError.unavailable`.
    package func formerUser(of cookie: SecretString, use: CookieUse) async throws(IdentityError) -> UserID? {
        guard case .ended(_, let userID)? = try await known(cookie, use: use) else { return nil }
        return userID
    }

    /// Nil for what is no cookie of ours.
    func known(_ cookie: SecretString, use: CookieUse) async throws(IdentityError) -> CookieHolder? {
        do throws(IdentityError) {
            return try await holder(of: cookie, use: use)
        } catch .invalidToken {
            return nil
        }
    }

    /// Whose a cookie is.
    /// - Throws: `IdentityError.invalidToken` when the mac does not hold or nothing is left of its session; `unavailable`.
    private func holder(of cookie: SecretString, use: CookieUse) async throws(IdentityError) -> CookieHolder {
        guard let presented = PresentedSessionCookie(cookie) else { throw .invalidToken }
        switch try await store.record(presented.sessionID, at: system.now()) {
        case .live(let session):
            // Clients of rest-auth have a cookie beside their other tokens.
            let isHeld = session.isHeldByCookie || use == .restAuth
            guard isHeld || use == .browser, presented.isGenuine(use: use, salt: session.saltOfCookies, key: key) else {
                throw .invalidToken
            }
            return isHeld ? .live(session) : .replaced(session)
        case .ended(let tombstone):
            guard let salt = tombstone.salt, let userID = tombstone.userID,
                presented.isGenuine(use: use, salt: salt, key: key)
            else { throw .invalidToken }
            return .ended(presented.sessionID, userID)
        case .missing:
            guard use == .browser,
                let owner = try await BrowserIndex(redis: store.redis).owner(of: presented.sessionID),
                presented.isGenuine(use: use, salt: owner.salt, key: key)
            else { throw .invalidToken }
            return .expired(presented.sessionID, owner.userID)
        case .malformed:
            throw .fault()
        }
    }
}
