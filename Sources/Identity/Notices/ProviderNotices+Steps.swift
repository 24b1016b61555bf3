import Text

/// An identity that a notice is about, and when what it tells happened.
struct NoticedIdentity: Sendable {
    let provider: ProviderID
    let subject: String
    let userID: UserID
    let happenedAt: Timestamp
}

extension ProviderNotices {
    /// Takes one step. May be repeated.
    /// - Returns: whether the others are to follow: not when a later notice about the same has been taken already.
    /// - Throws: a store's failure.
    func take(_ step: NoticeStep, for identity: NoticedIdentity, _ caller: Caller) async throws(IdentityError) -> Bool {
        let (provider, subject) = (identity.provider, identity.subject)
        switch step {
        case .setMailForwarding(let isOn, let time):
            try await store.setMailForwarding(provider, subject, isOn: isOn, since: time, at: ambience.statementTime)
        case .requireNewProof: try await store.requireNewProof(provider, subject, after: identity.happenedAt)
        case .block:
            return try await store.block(provider, subject, since: identity.happenedAt, at: ambience.statementTime)
        case .blockForGood:
            _ = try await store.block(provider, subject, since: nil, at: ambience.statementTime)
        case .unblock:
            try await store.unblock(provider, subject, since: identity.happenedAt, at: ambience.statementTime)
        case .endSessions(let scope): try await endSessions(scope, of: identity)
        case .forgetTokens: try await tokens.forget(provider, subject)
        case .unlink: try await unlink(identity, caller)
        }
        return true
    }

    private func endSessions(_ scope: NoticeStep.Scope, of identity: NoticedIdentity) async throws(IdentityError) {
        switch scope {
        case .all: try await sessions.endAll(of: identity.userID, reason: .endedByProvider)
        case .ofProvider:
            try await sessions.endAll(
                of: identity.userID, begunWith: .provider(identity.provider), reason: .endedByProvider)
        }
    }

    /// The identity goes last: without it, a notice that comes again would find nobody.
    private func unlink(_ identity: NoticedIdentity, _ caller: Caller) async throws(IdentityError) {
        let (provider, subject) = (identity.provider, identity.subject)
        if try await !store.unlinkIfOthers(provider, subject, usable: accounts.providers) {
            do throws(IdentityError) {
                try await accounts.disable(identity.userID, by: .system, caller: caller)
            } catch .userNotFound {
                return
            }
            try await store.unlink(provider, subject)
        }
        await note(.identityUnlinked, identity.userID, provider, caller)
    }
}
