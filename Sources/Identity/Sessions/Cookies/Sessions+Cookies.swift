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
        do throws(IdentityError) {
            switch try await holder(of: cookie, use: use) {
            case .live(let session):
                try await endPredecessors(of: session, reason: .signedOut, caller)
                let note = SessionEndNote(actor: .user(session.userID), clientID: session.clientID, caller: caller)
                try await end(session.id, of: session.userID, reason: .signedOut, noting: note)
            case .ended(let id, let userID):
                // Whoever ended it may not have got to the end.
                let note = SessionEndNote(actor: .user(userID), clientID: nil, caller: caller)
                try await end(id, of: userID, reason: .signedOut, noting: note)
            }
        } catch .invalidToken {
            return
        }
    }

    /// The session that a browser was in until a sign-in, if it is the same user's. It may have lost its cookie already: by a sign-in of which the
    /// browser has not heard.
    /// - Throws: `IdentityError.unavailable`.
    func predecessor(_ terms: CookieTerms, of userID: UserID) async throws(IdentityError) -> Session? {
        guard terms.use == .browser, let presented = terms.replaced.flatMap({ PresentedSessionCookie($0) }),
            case .live(let session) = try await store.record(presented.sessionID, at: system.now()), session.userID == userID,
            presented.isGenuine(use: terms.use, salt: session.saltOfCookies, key: key)
        else { return nil }
        return session
    }

    /// Has a session go on without its cookie for the clients that have something from it; one that has none ends. So does what its browser had
    /// before, where that is too much for the session that succeeds it.
    /// - Throws: `IdentityError.unavailable`; it may have its cookie then.
    func release(_ session: Session, for successor: Session, _ caller: Caller) async throws(IdentityError) {
        // What a client gets from now on of one that had none would have no successor.
        let outcome = session.grants.isEmpty ? .unused : try await store.releaseCookie(of: session.id)
        if outcome == .unused {
            let note = SessionEndNote(actor: .user(session.userID), clientID: session.clientID, caller: caller)
            try await end(session.id, of: session.userID, reason: .signedOut, noting: note)
        }
        for id in session.predecessors where !successor.predecessors.contains(id) {
            try await endIfThere(id, of: session.userID, reason: .signedOut, caller)
        }
    }

    /// The sessions that the browser of a session had before, as far as they live.
    /// - Throws: `IdentityError.unavailable`.
    package func predecessors(of session: Session) async throws(IdentityError) -> [Session] {
        guard !session.predecessors.isEmpty else { return [] }
        return try await store.sessions(of: session.userID, at: system.now()).filter { session.predecessors.contains($0.id) }
    }

    /// Ends the sessions that the browser of a session had before.
    /// - Throws: `IdentityError.unavailable`; some may live on then.
    func endPredecessors(of session: Session, reason: SessionEnd, _ caller: Caller) async throws(IdentityError) {
        for id in session.predecessors { try await endIfThere(id, of: session.userID, reason: reason, caller) }
    }

    private func endIfThere(
        _ id: SessionID, of userID: UserID, reason: SessionEnd, _ caller: Caller
    ) async throws(IdentityError) {
        do throws(IdentityError) {
            try await end(id, of: userID, reason: reason, caller: caller)
        } catch .sessionNotFound {
            return
        }
    }

    /// Ends the sessions of a user, on every device, because he asks for it from one of them; that one ends last, so that after a
    /// failure it can ask again, or stays.
    /// - Throws: `IdentityError.unavailable`; some may live on then.
    package func signOutEverywhere(
        _ userID: UserID, from current: SessionID, keepingIt: Bool, caller: Caller
    ) async throws(IdentityError) {
        try await endAll(of: userID, reason: .revoked, except: current)
        if !keepingIt { try await end(current, of: userID, reason: .signedOut) }
        // For who goes by the time in a token. The sessions are over without it too.
        try? await users.voidTokens(of: userID, before: system.now())
        await note(
            .allSessionsEnded(keepingIt ? .revoked : .signedOut), current, of: userID, client: nil, by: .user(userID), caller)
    }

    private enum CookieHolder {
        case live(Session)
        case ended(SessionID, UserID)
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
