package import Text

extension Confirmations {
    /// The user for whom a code is good, without using it up.
    /// - Parameter number: whose the caller says that it is.
    /// - Throws: `IdentityError.userNotFound` for a number that nobody has; `invalidCode`, also when it is another's, or the user is gone,
    ///   barred or has other credentials by now; `tooManyRequests`, `unavailable`.
    package func user(
        withNumber number: Int64, code text: SecretString, for purpose: OneTimeCode.Purpose, caller: Caller
    ) async throws(IdentityError) -> User {
        try await accounts.limiter.limiting(.code(account: String(number), caller), caller) { () throws(IdentityError) in
            guard let id = try await profiles.user(withNumber: number) else { throw IdentityError.userNotFound }
            guard let code = OneTimeCode(text) else { throw IdentityError.invalidCode }
            let user = try await holder(of: try await codes.look(code, for: purpose))
            guard user.id == id else { throw IdentityError.invalidCode }
            return user
        }
    }

    /// The user for whom a code is good, without using it up, where nobody says whose it is.
    /// - Throws: `IdentityError.invalidCode`, also when its user is gone, barred or has other credentials by now; `tooManyRequests`,
    ///   `unavailable`.
    package func user(
        ofCode text: SecretString, for purpose: OneTimeCode.Purpose, caller: Caller
    ) async throws(IdentityError) -> User {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        return try await accounts.limiter.limiting(.code(account: nil, caller), caller) { () throws(IdentityError) in
            try await holder(of: try await codes.look(code, for: purpose))
        }
    }

    /// Sets a new password by a code, and ends all sessions of its user. The code proves the mailbox (`MailboxProof`), and it is good until
    /// the new password is in force: `credentialsVersion`, which it is bound to, is another one then. So of several uses at once one wins.
    /// - Throws: `IdentityError.invalidCode`; `invalidInput`, and the code stays good; `tooManyRequests`, `overloaded`, `unavailable`.
    package func resetPassword(
        code text: SecretString, to password: SecretString, caller: Caller
    ) async throws(IdentityError) {
        try await resetPassword(code: text, caller: caller) { user throws(IdentityError) in
            try await accounts.hash(ofNew: password, for: user, caller)
        }
    }

    /// The same by another rule for passwords.
    /// - Parameter hash: of the new password, if the user may have it.
    func resetPassword(
        code text: SecretString, caller: Caller, hash: (User) async throws(IdentityError) -> String
    ) async throws(IdentityError) {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        try await accounts.limiter.limiting(.code(account: nil, hashes: true, caller), caller) { () throws(IdentityError) in
            try await resetPassword(code, caller, hash)
        }
    }

    private func resetPassword(
        _ code: OneTimeCode, _ caller: Caller, _ hash: (User) async throws(IdentityError) -> String
    ) async throws(IdentityError) {
        let user = try await holder(of: try await codes.look(code, for: .resetPassword))
        let hash = try await hash(user)
        let newID = UserID(at: system.now(), random: system.random(10))
        let (outcome, owner) = try await accounts.changes.change(user, orThrow: .invalidCode) { held throws(IdentityError) in
            let before = try await AccountState.hold(user.id, in: held.transaction)
            let outcome = try await held.prove(.passwordReset, accounts.notices.canBeUndone)
            guard outcome != .released else { return ((outcome, try await held.makeOwner(newID, passwordHash: hash).id), .none) }
            try await held.setPassword(hash)
            try await accounts.notices.enterPassword(
                of: before, beside: try await held.identities(), language: caller.language(), in: held.transaction)
            return ((outcome, user.id), outcome == .takenBack ? .everything(.accountReclaimed) : .everything(.passwordChanged))
        }
        await codes.forget(code)
        outbox.ring()
        await accounts.note(.passwordReset, owner, by: .user(owner), nil, caller)
        await accounts.note(outcome, of: user.id, nowOf: owner, nil, caller)
    }

    /// Notes that the address a code was sent to is its user's. The code stays good until it expires, because a mail may be opened
    /// twice: all it can do is say the same again.
    /// - Throws: `IdentityError.invalidCode`, `tooManyRequests`, `unavailable`.
    package func verifyEmail(code text: SecretString, caller: Caller) async throws(IdentityError) {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        let grant = try await accounts.limiter.limiting(.code(account: nil, caller), caller) { () throws(IdentityError) in
            let grant = try await codes.look(code, for: .verifyEmail)
            guard try await users.verifyEmail(of: grant.userID, grant.email, at: system.now()) else {
                throw IdentityError.invalidCode
            }
            return grant
        }
        // What is issued from now on says so. A repeated request does what a failure has left.
        try await accounts.sessions.update(SessionOwner(try await users.user(grant.userID)), of: grant.userID)
        await accounts.note(.emailVerified, grant.userID, by: .user(grant.userID), nil, caller)
    }

    func holder(of grant: OneTimeCode.Grant) async throws(IdentityError) -> User {
        do throws(IdentityError) {
            let user = try await users.user(grant.userID)
            guard Self.isGood(grant, for: user) else { throw IdentityError.invalidCode }
            return user
        } catch {
            throw error == .userNotFound ? .invalidCode : error
        }
    }

    /// Whether what a code grants still holds: not for a user who is barred, or has other credentials or another address by now.
    static func isGood(_ grant: OneTimeCode.Grant, for user: User) -> Bool {
        !user.isDisabled && user.credentialsVersion == grant.credentialsVersion && (user.email?.normalized ?? "") == grant.email
    }
}
