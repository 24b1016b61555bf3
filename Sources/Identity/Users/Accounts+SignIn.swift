package import Text

extension Accounts {
    /// Signs a user in by password and begins a session.
    ///
    /// An unknown address, a wrong password, an account without a password and a disabled one cost the same and say the same.
    /// - Throws: `IdentityError.invalidInput` for what can be no address or no password, before anyone is looked up;
    ///   `invalidCredentials`, `clientNotPermitted`, `overloaded`, `unavailable`.
    package func signIn(
        email: String, password: SecretString, client: Client, kind: SessionKind, caller: Caller
    ) async throws(IdentityError) -> (user: User, tokens: SessionTokens) {
        do throws(IdentityError) {
            guard client.maySignUsersIn else { throw .clientNotPermitted }
            let user = try await authenticate(email, password, client, caller)
            let tokens = try await begin(user, client, kind, caller)
            metrics.count(IdentityMetrics.SignIn.succeeded)
            await note(.userSignedIn, user.id, by: .user(user.id), client, session: tokens.session.id, caller)
            return (user, tokens)
        } catch {
            metrics.count(error.isOurs ? IdentityMetrics.SignIn.unavailable : .refused)
            throw error
        }
    }

    private func begin(
        _ user: User, _ client: Client, _ kind: SessionKind, _ caller: Caller
    ) async throws(IdentityError) -> SessionTokens {
        do throws(IdentityError) {
            return try await sessions.begin(for: user, client: client, kind: kind, caller: caller)
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
