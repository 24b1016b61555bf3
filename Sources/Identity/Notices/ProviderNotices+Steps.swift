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
            try await mapServiceFailures { () throws(ServiceFailure) in
                try await store.setMailForwarding(provider, subject, isOn: isOn, since: time, at: system.statementTime)
            }
        case .requireNewIDToken(let scope):
            try await change(identity, ending: scope) { held throws(IdentityError) in
                try await held.requireNewIDToken(provider, subject, after: identity.happenedAt)
                return true
            }
        case .block(let scope):
            return try await change(identity, ending: scope) { held throws(IdentityError) in
                try await held.block(provider, subject, since: identity.happenedAt, at: system.statementTime)
            }
        case .blockForGood(let scope):
            try await change(identity, ending: scope) { held throws(IdentityError) in
                try await held.block(provider, subject, since: nil, at: system.statementTime)
            }
        case .unblock:
            try await mapServiceFailures { () throws(ServiceFailure) in
                try await store.unblock(provider, subject, since: identity.happenedAt, at: system.statementTime)
            }
        case .forgetTokens:
            try await mapServiceFailures { () throws(ServiceFailure) in try await tokens.forget(provider, subject) }
        case .unlink: try await unlink(identity, caller)
        }
        return true
    }

    /// For a user who is gone nothing is left to do.
    /// - Parameter body: says whether the change holds; if it does not, no session ends.
    @discardableResult
    private func change(
        _ identity: NoticedIdentity, ending scope: NoticeStep.Scope,
        _ body: (HeldUser) async throws(IdentityError) -> Bool
    ) async throws(IdentityError) -> Bool {
        let ending: SessionsToEnd
        switch scope {
        case .none: ending = .none
        case .ofProvider: ending = .begunWith(identity.provider, .endedByProvider)
        case .all: ending = .all(.endedByProvider)
        }
        do throws(IdentityError) {
            return try await accounts.changes.change(identity.userID) { held throws(IdentityError) in
                try await body(held) ? (true, ending) : (false, SessionsToEnd.none)
            }
        } catch .userNotFound {
            return true
        }
    }

    private func unlink(_ identity: NoticedIdentity, _ caller: Caller) async throws(IdentityError) {
        let (provider, subject) = (identity.provider, identity.subject)
        let usable = accounts.providers
        let isDisabled: Bool
        do throws(IdentityError) {
            isDisabled = try await accounts.changes.change(identity.userID) { held throws(IdentityError) in
                let others = try await held.identities().filter { ($0.provider, $0.subject) != (provider, subject) }
                try await held.removeIdentity(provider, subject)
                if held.hasPassword || others.contains(where: { usable.contains($0.provider) }) { return (false, .none) }
                try await held.disable()
                return (true, .everything(.userDisabled))
            }
        } catch .userNotFound {
            return
        }
        if isDisabled { await accounts.note(.userDisabled, identity.userID, by: .system, nil, caller) }
        await note(.identityUnlinked, identity.userID, provider, caller)
    }
}
