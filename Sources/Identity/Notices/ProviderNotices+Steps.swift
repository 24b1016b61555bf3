import Text

/// An identity that a notice is about, and when the notice was issued.
struct NoticedIdentity: Sendable {
    let provider: ProviderID
    let subject: String
    let userID: UserID
    let issuedAt: Timestamp
}

extension ProviderNotices {
    /// Takes one step. May be repeated.
    /// - Throws: a store's failure.
    func take(_ step: NoticeStep, for identity: NoticedIdentity, _ caller: Caller) async throws(IdentityError) {
        let (provider, subject) = (identity.provider, identity.subject)
        switch step {
        case .setMailForwarding(let isOn, let time):
            try await store.setMailForwarding(provider, subject, isOn: isOn, since: time, at: ambience.statementTime)
        case .requireNewProof(let scope):
            try await change(identity, ending: scope) { held throws(IdentityError) in
                try await held.requireNewProof(provider, subject, after: identity.issuedAt)
            }
        case .block(let scope):
            try await change(identity, ending: scope) { held throws(IdentityError) in
                try await held.block(provider, subject, at: ambience.statementTime)
            }
        case .unblock: try await store.unblock(provider, subject)
        case .forgetTokens: try await tokens.forget(provider, subject)
        case .unlink: try await unlink(identity, caller)
        }
    }

    /// For a user who is gone nothing is left to do.
    private func change(
        _ identity: NoticedIdentity, ending scope: NoticeStep.Scope,
        _ body: (HeldUser) async throws(IdentityError) -> Void
    ) async throws(IdentityError) {
        let ending: SessionsToEnd
        switch scope {
        case .none: ending = .none
        case .ofProvider: ending = .begunWith(.provider(identity.provider), .endedByProvider)
        case .all: ending = .all(.endedByProvider)
        }
        do throws(IdentityError) {
            try await accounts.changes.change(identity.userID, ending: ending, body)
        } catch .userNotFound {
            return
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
