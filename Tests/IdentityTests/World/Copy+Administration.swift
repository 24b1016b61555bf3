@testable import Identity

extension IdentityParts {
    /// What an administrator of a test's does, who may do everything.
    var administration: Administration { administration(as: .command("mei")) }

    func administration(as administrator: Administrator) -> Administration {
        Administration(
            accounts: accounts, confirmations: confirmations, signingKeys: signingKeys, clientTokens: clientTokens,
            as: administrator, caller: Copy.caller)
    }
}

/// In short, for tests that are about something else.
extension Accounts {
    private static let actor = Administrator.command("mei").actor

    func disable(_ id: UserID, caller: Caller) async throws(IdentityError) {
        try await disable(id, by: Self.actor, caller: caller)
    }

    func enable(_ id: UserID, caller: Caller) async throws(IdentityError) {
        _ = try await users.enable(id, at: system.now())
        await note(.userEnabled, id, by: Self.actor, nil, caller)
    }

    func signOut(_ id: UserID, caller: Caller) async throws(IdentityError) {
        try await changes.change(id, ending: .all(.revoked)) { _ in }
        await note(.allSessionsEnded(.revoked), id, by: Self.actor, nil, caller)
    }
}
