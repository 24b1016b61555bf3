package import Text

extension Accounts {
    /// Signs a user in by password and begins a session.
    ///
    /// An unknown address, a wrong password, an account without a password and a disabled one cost the same and say the same.
    /// - Throws: `IdentityError.invalidInput` for what can be no address or no password, before anyone is looked up;
    ///   `invalidCredentials`, `clientNotPermitted`, `overloaded`, `unavailable`.
    package func signIn(
        email: String, password: SecretString, client: Client, kind: SessionKind, leeway: Duration = .zero, caller: Caller
    ) async throws(IdentityError) -> (user: User, tokens: SessionTokens) {
        try await signIn(email, password, client, caller) { user throws(IdentityError) in
            let tokens = try await sessions.begin(for: user, client: client, kind: kind, leeway: leeway, caller: caller)
            return (tokens, tokens.session.id)
        }
    }

    /// The same with a session that is held by a cookie.
    package func signIn(
        email: String, password: SecretString, client: Client, terms: CookieTerms, caller: Caller
    ) async throws(IdentityError) -> (user: User, session: CookieSession) {
        try await signIn(email, password, client, caller) { user throws(IdentityError) in
            let begun = try await sessions.begin(for: user, client: client, terms: terms, caller: caller)
            return (begun, begun.session.id)
        }
    }

    private func signIn<Begun>(
        _ email: String, _ password: SecretString, _ client: Client, _ caller: Caller,
        beginning begin: (User) async throws(IdentityError) -> (Begun, SessionID)
    ) async throws(IdentityError) -> (User, Begun) {
        do throws(IdentityError) {
            guard client.maySignUsersIn else { throw .clientNotPermitted }
            let user = try await authenticate(email, password, client, caller)
            let (begun, id) = try await noting(user, client, caller) { () throws(IdentityError) in try await begin(user) }
            metrics.count(IdentityMetrics.SignIn.succeeded)
            await note(.userSignedIn, user.id, by: .user(user.id), client, session: id, caller)
            return (user, begun)
        } catch {
            metrics.count(error.isOurs ? IdentityMetrics.SignIn.unavailable : .refused)
            throw error
        }
    }

    /// Puts on record that the account has changed since the password was found right.
    private func noting<Begun>(
        _ user: User, _ client: Client, _ caller: Caller, _ begin: () async throws(IdentityError) -> Begun
    ) async throws(IdentityError) -> Begun {
        do throws(IdentityError) {
            return try await begin()
        } catch {
            if error == .invalidCredentials {
                await note(.signInFailed(.accountChanged), user.id, by: .anonymous, client, caller)
            }
            throw error
        }
    }

    /// What can be no address or no password, and so is refused before anyone is looked up; what is nil is not looked at.
    package static func objections(signInEmail email: String?, password: SecretString?) -> [InputProblem] {
        var problems: [InputProblem] = []
        if let email { collect(&problems) { () throws(InputProblem) in try EmailAddress(email) } }
        if let password { collect(&problems) { () throws(InputProblem) in try Password(presented: password.revealedText) } }
        return problems
    }

    private func authenticate(
        _ email: String, _ password: SecretString, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> User {
        let address: EmailAddress
        let presented: Password
        do throws(InputProblem) {
            presented = try Password(presented: password.revealedText)
            address = try EmailAddress(email)
        } catch {
            throw .invalidInput([error])
        }
        let found = try await users.credentials(of: address)
        let matches = try await hasher.verify(presented, against: found?.passwordHash)
        guard let failure = Self.failure(found?.user, hasPassword: found?.passwordHash != nil, matches: matches) else {
            guard let found, let hash = found.passwordHash else { throw .internalFault }
            if hasher.needsRehash(hash) { await rehash(presented, of: found.user.id, from: hash) }
            return found.user
        }
        await note(.signInFailed(failure), found?.user.id, by: .anonymous, client, caller)
        throw .invalidCredentials
    }

    private static func failure(_ user: User?, hasPassword: Bool, matches: Bool) -> AuditKind.SignInFailure? {
        guard let user else { return .unknownUser }
        if !hasPassword { return .noPassword }
        if !matches { return .wrongPassword }
        return user.isDisabled ? .disabledUser : nil
    }

    /// Brings a stored hash up to today's parameters while the password is at hand. If that cannot be done now, then next time.
    private func rehash(_ password: Password, of id: UserID, from old: String) async {
        guard let new = try? await hasher.hash(password) else { return }
        try? await users.rehashPassword(of: id, from: old, to: new)
    }
}
