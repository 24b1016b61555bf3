package import Text

/// How a user gets in.
extension Administration {
    /// Sets a new password for a user, ends all sessions, and tells the user.
    /// - Throws: `IdentityError.invalidInput`, `userNotFound`, `overloaded`, `unavailable`; `invalidCredentials` when the account has changed
    ///   meanwhile.
    package func setPassword(of id: UserID, to text: SecretString) async throws(AdministrationError) {
        try await with(.changeUsers) { () throws(IdentityError) in
            let user = try await users.user(id)
            let hash = try await accounts.hash(ofNew: text, for: user, caller)
            let ending = SessionsToEnd.all(.passwordChanged, except: nil, forgettingDevices: true)
            try await changes.change(user, orThrow: .invalidCredentials, ending: ending) { held throws(IdentityError) in
                let before = try await AccountState.hold(user.id, in: held.transaction)
                try await held.setPassword(hash)
                try await accounts.notices.enterPassword(of: before, language: caller.language(), in: held.transaction)
            }
            outbox.ring()
            await note(.passwordChanged, id)
        }
    }

    /// Has the link for a new password sent to a user, whatever strangers have used up.
    /// - Returns: false when the user has got too many of them, `MailOutbox.limitOfAsked`.
    /// - Throws: `IdentityError.invalidInput` when there is no address, `userNotFound`, `userDisabled`, `unavailable`.
    package func sendReset(to id: UserID, link: Confirmations.Link) async throws(AdministrationError) -> Bool {
        try await with(.changeUsers) { () throws(IdentityError) in
            let user = try await users.user(id)
            guard user.email != nil else { throw .invalidInput([InputProblem(.email, .missing)]) }
            guard !user.isDisabled else { throw .userDisabled }
            return try await confirmations.sendPasswordReset(to: user, language: .english, link: link, by: actor, caller)
        }
    }

    /// Takes the user's address for proved, because the administrator says so. Nothing else changes.
    /// - Throws: `IdentityError.invalidInput` when there is none; `emailTaken` when the user has only claimed it and it is somebody else's;
    ///   `userNotFound`, `overloaded`, `unavailable`.
    package func vouch(forAddressOf id: UserID) async throws(AdministrationError) {
        try await with(.changeUsers) { () throws(IdentityError) in
            let user = try await changes.change(id) { held throws(IdentityError) in
                guard held.user.email != nil else { throw .invalidInput([InputProblem(.email, .missing)]) }
                _ = try await held.prove(.vouching, accounts.notices.canBeUndone)
                return (try await held.changed(), SessionsToEnd.none)
            }
            try await sessions.update(SessionOwner(user), of: id)
            await note(.emailVerified, id)
        }
    }

    /// Gives a user another address, and ends all sessions. As with a change of the user's own, the old address is told, with a link that
    /// undoes the change, if it was proved.
    /// - Parameter isProved: whether the administrator vouches for the new address.
    /// - Throws: `IdentityError.emailTaken`, `userNotFound`, `overloaded`, `unavailable`.
    package func changeAddress(
        of id: UserID, to address: EmailAddress, isProved: Bool
    ) async throws(AdministrationError) {
        try await with(.changeUsers) { () throws(IdentityError) in
            let ending = SessionsToEnd.all(.addressChanged, forgettingDevices: true)
            try await changes.change(id, ending: ending) { held throws(IdentityError) in
                let before = try await AccountState.hold(id, in: held.transaction)
                try await held.setEmail(address, isProved: isProved)
                try await accounts.notices.enter(
                    .address, of: before, detail: address.normalized, language: caller.language(), in: held.transaction)
            }
            outbox.ring()
            await note(.addressChanged, id)
            if isProved { await note(.emailVerified, id) }
        }
    }
}
