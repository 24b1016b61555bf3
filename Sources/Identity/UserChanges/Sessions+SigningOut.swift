extension Sessions {
    /// Ends a session of a user, because they ask for it from one of them. Another address that a further device may have asked for is asked for no
    /// more.
    /// - Throws: as `end`; the call may be repeated.
    package func signOut(
        _ id: SessionID, of userID: UserID, from current: SessionID, caller: Caller
    ) async throws(IdentityError) {
        try await end(id, of: userID, reason: id == current ? .signedOut : .revoked, caller: caller)
        if id != current { try await OneTimeCodeStore(redis: store.redis).void(of: userID, for: [.changeEmail]) }
    }

    /// Ends the sessions of a user, on every device, because they ask for it from one of them; that one ends last, so that after a
    /// failure it can ask again, or stays. Another address that any of them has asked for is asked for no more.
    /// - Throws: `IdentityError.unavailable`; some may live on then.
    package func signOutEverywhere(
        _ userID: UserID, from current: SessionID, keepingIt: Bool, caller: Caller
    ) async throws(IdentityError) {
        let asked = system.now()
        try await endAll(of: userID, reason: .revoked, except: current)
        // A client may have begun one from one of these just before it ended (`beginOffline`).
        for session in try await list(of: userID)
        where session.id != current && session.ownAuthenticatedAt < session.time(at: asked) {
            try await endUnread(session.id, of: userID, reason: .revoked)
        }
        // In this order: whoever gets a code looks whether the session still lives before the mail with it goes out.
        try await OneTimeCodeStore(redis: store.redis).void(of: userID, for: [.changeEmail])
        if !keepingIt { try await endUnread(current, of: userID, reason: .signedOut) }
        // For who goes by the time in a token. The sessions are over without it too.
        try? await users.voidTokens(of: userID, before: system.now())
        await note(
            .allSessionsEnded(keepingIt ? .revoked : .signedOut), current, of: userID, client: nil, by: .user(userID), caller)
    }
}
