import Networking
package import Text

extension Accounts {
    /// Sets a new password for a user who is signed in and gives the old one, or who has signed in within the last minutes. All
    /// other sessions end.
    ///
    /// - Parameters:
    ///   - trustsSession: whether the session alone is enough, however old.
    ///   - keepsSession: whether the session that asks lives on.
    /// - Throws: `IdentityError.invalidCredentials` when the old password is wrong, `recentSignInRequired` without it, both also when the
    ///   account has changed meanwhile; `invalidToken` when the session is over; `invalidInput`, `tooManyRequests`, `userNotFound`,
    ///   `overloaded`, `unavailable`.
    package func changePassword(
        of id: UserID, in session: SessionID, from old: SecretString?, to new: SecretString, trustsSession: Bool = false,
        keepsSession: Bool = true, caller: Caller
    ) async throws(IdentityError) {
        let user: User
        if let old {
            user = try await check(old, of: id, in: session, caller)
        } else {
            // In this order: whoever ends the sessions raises the number that the user has, and the change comes too late.
            user = try await users.user(id)
            try await checkSignIn(session, isRecent: !trustsSession)
            try await limiter.take(.hash(caller), caller)
        }
        do throws(IdentityError) {
            try await replacePassword(of: user, with: new, keeping: keepsSession ? session : nil, caller: caller)
        } catch .invalidCredentials where old == nil {
            throw .recentSignInRequired
        }
    }

    /// Of a user who has just replaced the password in a session that has ended with it.
    /// - Throws: `IdentityError.userNotFound`, `unavailable`.
    package func authenticationAfterPasswordChange(of id: UserID) async throws(IdentityError) -> Authentication {
        Authentication(of: try await users.user(id), by: [.password], at: system.now(), occasion: .continued)
    }

    /// The hash of a password that a user wants from now on.
    /// - Throws: `IdentityError.invalidInput`, `overloaded`.
    func hash(
        ofNew text: SecretString, for user: User, _ caller: Caller
    ) async throws(IdentityError) -> String {
        let password: Password
        do throws(InputProblem) {
            password = try Password(chosen: text.revealedText, for: user.email)
        } catch {
            throw .invalidInput([error])
        }
        return try await hasher.hash(
            password, for: JobOwner(hashingFor: caller, account: user.account, client: nil))
    }

    /// The user whose password it is.
    /// - Throws: `IdentityError.invalidCredentials` unless it is.
    func check(
        _ text: SecretString, of id: UserID, in session: SessionID, _ caller: Caller
    ) async throws(IdentityError) -> User {
        guard let found = try await users.credentials(of: id) else { throw .userNotFound }
        let limit = LimitAttempt.passwordChange(account: found.user.account, session: session, caller)
        let owner = JobOwner(hashingFor: caller, account: found.user.account, client: nil)
        return try await limiter.limiting(limit, caller) { () throws(IdentityError) in
            if let presented = try? Password(presented: text.revealedText),
                try await hasher.verify(presented, against: found.passwordHash, for: owner)
            {
                return found.user
            }
            await note(.signInFailed(.wrongPassword), id, by: .user(id), nil, session: session, caller)
            throw .invalidCredentials
        }
    }

    private func checkSignIn(_ id: SessionID, isRecent: Bool) async throws(IdentityError) {
        let now = system.now()
        guard case .live(let session) = try await sessions.store.record(id, at: now) else { throw .invalidToken }
        guard !isRecent || rules.isRecent(session.authenticatedAt, at: session.time(at: now)) else {
            throw .recentSignInRequired
        }
    }
}
