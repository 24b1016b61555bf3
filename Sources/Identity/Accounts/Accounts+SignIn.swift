package import Text

extension Accounts {
    /// Signs a user in by e-mail address and password and begins a session.
    /// - Throws: as `signIn(_ attempt:)`.
    package func signIn(
        email: String, password: SecretString, client: Client, kind: SessionKind, leeway: Duration = .zero, caller: Caller
    ) async throws(IdentityError) -> (user: User, tokens: SessionTokens) {
        try await signIn(
            SignInAttempt(.email(email), passwords: [password]), client: client, kind: kind, leeway: leeway, caller: caller)
    }

    /// Signs a user in by password and begins a session.
    ///
    /// An unknown name, a wrong password, an account without a password and a disabled one cost the same and say the same.
    /// - Throws: `IdentityError.invalidInput` for what can be no address or no password, before anyone is looked up;
    ///   `invalidCredentials`, `userDisabled` if the attempt asks for it, `emailNotVerified`, `clientNotPermitted`, `tooManyRequests`,
    ///   `overloaded`, `unavailable`.
    package func signIn(
        _ attempt: SignInAttempt, client: Client, kind: SessionKind, leeway: Duration = .zero, caller: Caller
    ) async throws(IdentityError) -> (user: User, tokens: SessionTokens) {
        try await signIn(attempt, client, caller) { user throws(IdentityError) in
            let tokens = try await sessions.begin(for: user, client: client, kind: kind, leeway: leeway, caller: caller)
            return (tokens, tokens.session.id)
        }
    }

    /// The same with a session that is held by a cookie.
    package func signIn(
        email: String, password: SecretString, client: Client, terms: CookieTerms, caller: Caller
    ) async throws(IdentityError) -> (user: User, session: CookieSession) {
        try await signIn(SignInAttempt(.email(email), passwords: [password]), client, caller) { user throws(IdentityError) in
            let begun = try await sessions.begin(for: user, client: client, terms: terms, caller: caller)
            return (begun, begun.session.id)
        }
    }

    private func signIn<Begun>(
        _ attempt: SignInAttempt, _ client: Client, _ caller: Caller,
        beginning begin: (User) async throws(IdentityError) -> (Begun, SessionID)
    ) async throws(IdentityError) -> (User, Begun) {
        do throws(IdentityError) {
            guard client.maySignUsersIn else { throw .clientNotPermitted }
            let user = try await authenticate(attempt, client, caller)
            guard user.emailVerified || !attempt.needsVerifiedEmail else { throw IdentityError.emailNotVerified }
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
}
