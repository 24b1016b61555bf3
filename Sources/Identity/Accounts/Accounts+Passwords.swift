package import Text

extension Accounts {
    /// How long after signing in a user may do what otherwise takes the password.
    package static let recentSignIn: Duration = .seconds(300)

    /// Sets a new password for a user who is signed in and gives the old one, or who has signed in within the last minutes. All
    /// other sessions end.
    ///
    /// - Parameter trustsSession: whether the session alone is enough, however old.
    /// - Throws: `IdentityError.invalidCredentials` when the old password is wrong, `recentSignInRequired` without it, `invalidInput`,
    ///   `tooManyRequests`, `userNotFound`, `overloaded`, `unavailable`.
    package func changePassword(
        of id: UserID, in session: SessionID, from old: SecretString?, to new: SecretString, trustsSession: Bool = false,
        caller: Caller
    ) async throws(IdentityError) {
        if let old {
            try await check(old, of: id, in: session, caller)
        } else if !trustsSession {
            try await checkRecentSignIn(session)
        }
        try await replacePassword(of: id, with: new, keeping: session, caller: caller)
    }

    /// The hash of a password that a user wants from now on.
    /// - Throws: `IdentityError.invalidInput`, `overloaded`.
    func hash(ofNew text: SecretString, for user: User) async throws(IdentityError) -> String {
        let password: Password
        do throws(InputProblem) {
            password = try Password(chosen: text.revealedText, for: user.email)
        } catch {
            throw .invalidInput([error])
        }
        return try await hasher.hash(password)
    }

    /// - Throws: `IdentityError.invalidCredentials` unless it is the user's password.
    private func check(
        _ text: SecretString, of id: UserID, in session: SessionID, _ caller: Caller
    ) async throws(IdentityError) {
        guard let found = try await users.credentials(of: id) else { throw .userNotFound }
        let limit = LimitAttempt.passwordChange(account: found.user.email.normalized, session: session)
        try await limiter.limiting(limit, caller) { () throws(IdentityError) in
            if let presented = try? Password(presented: text.revealedText),
                try await hasher.verify(presented, against: found.passwordHash)
            {
                return
            }
            await note(.signInFailed(.wrongPassword), id, by: .user(id), nil, session: session, caller)
            throw .invalidCredentials
        }
    }

    private func checkRecentSignIn(_ id: SessionID) async throws(IdentityError) {
        let now = ambience.now()
        guard case .live(let session) = try await sessions.store.record(id, at: now) else { throw .invalidToken }
        guard session.time(at: now).duration(since: session.authenticatedAt) <= Self.recentSignIn else {
            throw .recentSignInRequired
        }
    }
}
