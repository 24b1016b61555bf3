package import Text

/// What a user has in a browser at our own pages: the session of its cookie, those of tabs that signed in at the same time, whose cookies are lost,
/// and those from before the user signed in again, from which clients have something.
extension Sessions {
    /// Puts a new session in the place of the one whose cookie a browser had. Where somebody else has signed in, all that the former user has in the
    /// browser ends; where it is the same user, clients keep what they have.
    /// - Throws: `IdentityError.unavailable`: the new session is to be discarded then.
    func enter(
        _ begun: Session, in browser: String, _ terms: CookieTerms, _ caller: Caller
    ) async throws(IdentityError) {
        let index = BrowserIndex(redis: store.redis)
        let ids = try await index.enter(begun, of: browser).filter { $0 != begun.id }
        var former: CookieHolder?
        if let cookie = terms.replaced { former = try await known(cookie, use: terms.use) }
        if let holder = former, holder.userID != begun.userID {
            try await signOut(holder, in: browser, caller)
            former = nil
        }
        var others = try await store.live(ids, at: system.now())
        let over = ids.filter { id in !others.contains { $0.id == id } }
        // Whoever has ended one may not have got to the end.
        for id in over { try await finish(id, of: begun.userID, caller) }
        await index.leave(over, of: browser, begun.userID)
        // The browser may have had another secret.
        if let session = former?.live, !ids.contains(session.id) {
            _ = try await index.enter(session, of: browser)
            others.append(session)
        }
        if let end = others.map(\.absoluteEnd).max() { try await index.keep(begun, until: end) }
        if let client = terms.waiting {
            // But nothing of another tab that signs in at the same time.
            let replaced = others.filter { !$0.isHeldByCookie || $0.id == former?.sessionID }
            for session in replaced where session.grants.contains(where: { $0.clientID == client }) {
                try await endGrants(of: client, in: [session], caller)
                // For this client it is over, whoever goes on with it.
                await logouts?.enter(endOf: session.id, of: session.userID, for: [client])
            }
        }
        if let former { try await replace(former, in: browser, caller) }
        let excess = others.dropLast(BrowserIndex.capacity - 1).map(\.id)
        for id in excess { try await finish(id, of: begun.userID, caller) }
        await index.leave(excess, of: browser, begun.userID)
    }

    /// Makes the cookie of a session void. It ends if nothing else holds it.
    private func replace(_ former: CookieHolder, in browser: String, _ caller: Caller) async throws(IdentityError) {
        switch former {
        case .live(let session):
            if try await store.dropCookie(of: session.id) { return }
        case .replaced: return
        case .ended, .expired: break
        }
        try await end(former, caller)
        // Those that are over would push out others.
        await BrowserIndex(redis: store.redis).leave([former.sessionID], of: browser, former.userID)
    }

    /// The session that signing out by a cookie is to end; nil for none. A cookie that has not been used for too long is good for that, too: clients may
    /// still use what they have from its session. Where it is over, its end is finished, and what its user has begun in the browser before it ends.
    /// - Throws: `IdentityError.unavailable`.
    package func sessionToSignOut(
        of cookie: SecretString, use: CookieUse, in browser: String, caller: Caller
    ) async throws(IdentityError) -> CookieSession? {
        guard let holder = try await known(cookie, use: use) else { return nil }
        if let session = holder.live { return CookieSession(session, use: use, usedAt: session.lastUsedAt, key: key) }
        try await signOut(holder, in: browser, caller)
        return nil
    }

    /// Ends what a user has in a browser whose cookie is theirs. An old cookie, which somebody else may have, ends no more than what the browser had
    /// with it: nothing that has begun since.
    private func signOut(_ holder: CookieHolder, in browser: String, _ caller: Caller) async throws(IdentityError) {
        switch holder {
        case .live(let session):
            _ = try await signOut(holder.userID, in: browser, last: session, caller: caller)
        case .replaced, .ended, .expired:
            let index = BrowserIndex(redis: store.redis)
            let ids = try await index.sessions(of: browser, holder.userID, upTo: holder.sessionID)
            for id in ids where id != holder.sessionID { try await finish(id, of: holder.userID, caller) }
            try await end(holder, caller)
            await index.leave(ids, of: browser, holder.userID)
        }
    }

    /// Ends the sessions that a user has begun in a browser (`CookieTerms.browser`).
    /// - Parameter last: which to end last, that of the cookie: after a failure it can ask again.
    /// - Returns: those that lived.
    /// - Throws: `IdentityError.unavailable`.
    package func signOut(
        _ userID: UserID, in browser: String, last: Session?, caller: Caller
    ) async throws(IdentityError) -> [Session] {
        let index = BrowserIndex(redis: store.redis)
        let ids = try await index.sessions(of: browser, userID).filter { $0 != last?.id }
        var ended = try await store.live(ids, at: system.now())
        for id in ids { try await finish(id, of: userID, caller) }
        if let last {
            ended.append(last)
            try await finish(last.id, of: userID, caller)
        }
        await index.leave(ids + (last.map { [$0.id] } ?? []), of: browser, userID)
        return ended
    }

    /// Ends a session of which nothing may be left by now, because somebody else was faster.
    private func finish(_ id: SessionID, of userID: UserID, _ caller: Caller) async throws(IdentityError) {
        do throws(IdentityError) {
            try await end(id, of: userID, reason: .signedOut, caller: caller)
        } catch {
            guard error == .sessionNotFound else { throw error }
        }
    }
}
