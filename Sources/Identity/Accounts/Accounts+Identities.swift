import Text

/// What a signed-in user does about the identities that sign them in.
extension Accounts {
    /// A user's identities, the oldest first.
    /// - Throws: `IdentityError.unavailable`.
    package func identities(of id: UserID) async throws(IdentityError) -> [ExternalIdentity] {
        try await identityStore.identities(of: id)
    }

    /// Whether the user can sign in with a password.
    /// - Throws: `IdentityError.userNotFound`, `unavailable`.
    package func hasPassword(_ id: UserID) async throws(IdentityError) -> Bool {
        try await users.hasPassword(id)
    }

    /// Whether the user proved who they are in this session so lately that they may change the ways in, or delete the
    /// account. To be asked before a proof is looked at, which can be used only once.
    /// - Throws: `IdentityError.recentSignInRequired`, `unavailable`.
    package func requireRecentSignIn(of id: UserID, session: SessionID, caller: Caller) async throws(IdentityError) {
        if case .live(let record) = try await sessions.store.record(session, at: system.now()), record.userID == id,
            rules.isRecent(record.authenticatedAt, at: record.time(at: system.now()))
        {
            return
        }
        await refuse(.notRecent, id, session, caller, detail: JSONObject())
        throw .recentSignInRequired
    }

    /// Makes a provider's identity one more way into a user's account (rule 3). One that is the user's already stays.
    /// - Parameters:
    ///   - session: the one that asks, in which the user has just proved who they are.
    ///   - trustsSession: whether the session is enough, however old.
    /// - Throws: `IdentityError.identityTaken` when it is somebody else's; `recentSignInRequired`, also when the account has changed
    ///   meanwhile; `userNotFound`, `unavailable`.
    package func link(
        _ verifiedToken: VerifiedIDToken, to id: UserID, session: SessionID, trustsSession: Bool = false, caller: Caller
    ) async throws(IdentityError) {
        let presented = PresentedIdentity(verifiedToken, toldName: nil, claimedEmail: nil)
        // In this order: whoever ends the sessions has raised the number that the user has from now on.
        let user = try await users.user(id)
        if trustsSession {
            guard case .live = try await sessions.store.record(session, at: system.now()) else { throw .recentSignInRequired }
        } else {
            try await requireRecentSignIn(of: id, session: session, caller: caller)
        }
        do throws(IdentityError) {
            guard try await add(presented.identity(of: id, at: system.now()), to: user, caller) else {
                throw .recentSignInRequired
            }
        } catch .identityTaken {
            guard try await identityStore.use(presented, at: system.now()) == id else {
                await refuse(.identityTaken, id, session, caller, detail: presented.detail)
                throw .identityTaken
            }
            return
        }
        metrics.count(IdentityMetrics.IdentityChange.linked)
        await note(.identityLinked(.requested), id, by: .user(id), nil, session: session, caller, detail: presented.detail)
    }

    /// Takes a provider's identities from a user, and ends the sessions that began with it, but for the one that asks.
    /// - Parameter trustsSession: whether the session is enough, however old.
    /// - Throws: `IdentityError.recentSignInRequired`; `identityNotFound`; `lastSignInMethod`, when nothing would be left to sign in with;
    ///   `userNotFound`, `overloaded`, `unavailable`.
    package func unlink(
        _ provider: ProviderID, from id: UserID, session: SessionID, trustsSession: Bool = false, caller: Caller
    ) async throws(IdentityError) {
        if !trustsSession { try await requireRecentSignIn(of: id, session: session, caller: caller) }
        var detail = JSONObject()
        detail["provider"] = .string(provider.text)
        let ending = SessionsToEnd.begunWith(provider, .identityUnlinked, except: session)
        do throws(IdentityError) {
            try await changes.change(id, ending: ending) { held throws(IdentityError) in
                let before = try await AccountState.hold(id, in: held.transaction)
                let linked = try await held.identities().map(\.provider)
                guard linked.contains(provider) else { throw .identityNotFound }
                guard
                    LinkingRule.mayUnlink(provider, hasPassword: held.hasPassword, identities: linked, usable: providers)
                else { throw .lastSignInMethod }
                try await held.removeIdentities(of: provider)
                try await notices.enter(
                    .identityUnlinked, of: before, detail: provider.text, language: caller.language(), in: held.transaction)
            }
        } catch .lastSignInMethod {
            await refuse(.lastMethod, id, session, caller, detail: detail)
            throw .lastSignInMethod
        }
        outbox.ring()
        metrics.count(IdentityMetrics.IdentityChange.unlinked)
        await note(.identityUnlinked, id, by: .user(id), nil, session: session, caller, detail: detail)
    }

    private func refuse(
        _ failure: AuditKind.LinkingFailure, _ id: UserID, _ session: SessionID, _ caller: Caller, detail: JSONObject
    ) async {
        metrics.count(IdentityMetrics.IdentityChange.refused)
        await note(.identityChangeRefused(failure), id, by: .user(id), nil, session: session, caller, detail: detail)
    }
}
