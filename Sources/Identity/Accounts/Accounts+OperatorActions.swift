package import Text

/// What operators change of how a user gets in.
extension Accounts {
    /// Sets a new password for a user, ends all sessions, and tells the user.
    /// - Throws: `IdentityError.invalidInput`, `userNotFound`, `overloaded`, `unavailable`; `invalidCredentials` when the account has changed
    ///   meanwhile.
    package func setPassword(of id: UserID, to text: SecretString, caller: Caller) async throws(IdentityError) {
        let user = try await users.user(id)
        let hash = try await hash(ofNew: text, for: user, caller)
        let ending = SessionsToEnd.all(.passwordChanged, except: nil, forgettingDevices: true)
        try await changes.change(user, orThrow: .invalidCredentials, ending: ending) { held throws(IdentityError) in
            let before = try await AccountState.hold(user.id, in: held.transaction)
            try await held.setPassword(hash)
            try await notices.enterPassword(of: before, language: caller.language(), in: held.transaction)
        }
        outbox.ring()
        await note(.passwordChanged, id, by: .administrator, nil, caller)
    }

    /// Takes the user's address for proved, because an operator says so. Nothing else changes.
    /// - Throws: `IdentityError.userNotFound`, `overloaded`, `unavailable`.
    package func vouch(forAddressOf id: UserID, caller: Caller) async throws(IdentityError) {
        let user = try await changes.change(id) { held throws(IdentityError) in
            try await held.setEmailProved()
            return (try await held.changed(), SessionsToEnd.none)
        }
        try await sessions.update(SessionOwner(user), of: id)
        await note(.emailVerified, id, by: .administrator, nil, caller)
    }
}
