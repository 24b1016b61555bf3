import Networking
package import Text

/// What somebody presents to sign in.
package struct SignInAttempt: Sendable {
    /// By what a user says who they are.
    package enum Name: Sendable {
        case email(String)
        case username(String)
        /// Either, where there is one field for both: what is one user's address and another's username is each of them.
        case usernameOrEmail(String)

        /// Whether it may be the address of one user and the username of another.
        fileprivate var mayBeTwo: Bool {
            guard case .usernameOrEmail(let text) = self else { return false }
            return (try? EmailAddress(text)) != nil && (try? Username(text)) != nil
        }
    }

    package let name: Name
    /// Readings of the one password that was sent, where its encoding leaves a doubt: any may be right. Never empty.
    package let passwords: [SecretString]
    /// Whether the address must have been proved to be the user's.
    package let needsVerifiedEmail: Bool
    /// Whether who has the right password learns that the account is barred. Nobody else does.
    package let tellsDisabled: Bool

    package init(_ name: Name, passwords: [SecretString], needsVerifiedEmail: Bool = false, tellsDisabled: Bool = false) {
        self.name = name
        self.passwords = passwords
        self.needsVerifiedEmail = needsVerifiedEmail
        self.tellsDisabled = tellsDisabled
    }
}

extension Accounts {
    /// What can be no address or no password, and so is refused before anyone is looked up; what is nil is not looked at.
    package static func objections(signInEmail email: String?, password: SecretString?) -> [InputProblem] {
        var problems: [InputProblem] = []
        if let email { collect(&problems) { () throws(InputProblem) in try EmailAddress(email) } }
        if let password { collect(&problems) { () throws(InputProblem) in try Password(presented: password.revealedText) } }
        return problems
    }

    /// Finds out whether a name and a password are a user's. Who they are is for `Sessions.begin` to make use of.
    ///
    /// An unknown name, a wrong password, an account without a password and a disabled one cost the same and say the same.
    /// - Throws: `IdentityError.invalidInput` for what can be no address or no password, before anyone is looked up;
    ///   `invalidCredentials`, `userDisabled` if the attempt asks for it, `emailNotVerified`, `clientNotPermitted`, `tooManyRequests`,
    ///   `overloaded`, `unavailable`.
    package func authenticate(
        password attempt: SignInAttempt, client: Client, caller: Caller
    ) async throws(IdentityError) -> AuthenticationResult {
        do throws(IdentityError) {
            guard client.maySignUsersIn else { throw .clientNotPermitted }
            let found = try await user(of: attempt, client, caller)
            guard found.user.emailVerified || !attempt.needsVerifiedEmail else { throw IdentityError.emailNotVerified }
            return .complete(
                Authentication(
                    of: found.user, by: [.password], at: system.now(), occasion: .password, settings: found.settings))
        } catch {
            Authentication.Occasion.password.count(error, in: metrics)
            throw error
        }
    }

    /// The user whose name and password these are. Counted before anything is hashed.
    private func user(
        of attempt: SignInAttempt, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> UserStore.Credentials {
        let presented = try Self.presented(attempt.passwords)
        let names = try await resolved(attempt.name)
        var refusal = IdentityError.invalidCredentials
        for name in names {
            do throws(IdentityError) {
                return try await user(of: attempt, as: name, presented, client, caller)
            } catch {
                switch error {
                case .invalidCredentials: break
                // Neither shuts the other out, who may have taken the name to do that.
                case .userDisabled, .service(.tooManyRequests): refusal = error
                default: throw error
                }
            }
        }
        if names.count == 1, refusal == .invalidCredentials, attempt.name.mayBeTwo {
            // As long as if it were another's name, too: whoever has taken it learns nothing by the time.
            let (owner, imported) = (JobOwner(hashingFor: caller, account: nil, client: client.id), try await importedHashes())
            for password in presented { _ = try await hasher.verdict(on: password, against: nil, imported: imported, for: owner) }
        }
        throw refusal
    }

    private func user(
        of attempt: SignInAttempt, as name: SignInAttempt.Name, _ presented: [Password], _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> UserStore.Credentials {
        switch name {
        case .email(let text):
            let address = try Self.valid { () throws(InputProblem) in try EmailAddress(text) }
            let limit = LimitAttempt.signIn(account: address.normalized, isNamedSo: true, client: client.id, caller)
            return try await limiter.limiting(limit, caller) { () throws(IdentityError) in
                let found = try await users.credentials(of: address)
                let owner = JobOwner(hashingFor: caller, account: address.normalized, client: client.id)
                return try await check(attempt, presented, found, owner, client, caller)
            }
        case .username(let text), .usernameOrEmail(let text):
            // What can be no username is nobody's. Whoever it is has one count, by whichever name: so who it is has to be known first.
            let username = try? Username(text)
            var found: UserStore.Credentials?
            if let username { found = try await users.credentials(of: username) }
            let account = found?.user.account ?? username?.folded ?? ""
            let limit = LimitAttempt.signIn(account: account, isNamedSo: false, client: client.id, caller)
            return try await limiter.limiting(limit, caller) { () throws(IdentityError) in
                let owner = JobOwner(hashingFor: caller, account: account, client: client.id)
                return try await check(attempt, presented, found, owner, client, caller)
            }
        }
    }

    /// Whose name was typed, the address first: into a field for both, the address of one and the username of another perhaps.
    private func resolved(_ name: SignInAttempt.Name) async throws(IdentityError) -> [SignInAttempt.Name] {
        guard case .usernameOrEmail(let text) = name else { return [name] }
        guard let address = try? EmailAddress(text) else { return [.username(text)] }
        guard let username = try? Username(text), let named = try await users.credentials(of: username)?.user else {
            return [.email(text)]
        }
        guard let holder = try await users.credentials(of: address)?.user else { return [.username(text)] }
        return holder.id == named.id ? [.email(text)] : [.email(text), .username(text)]
    }

    private func check(
        _ attempt: SignInAttempt, _ presented: [Password], _ found: UserStore.Credentials?, _ owner: JobOwner,
        _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> UserStore.Credentials {
        var right: Password?
        var isUnusable = false
        let imported = try await importedHashes()
        for password in presented where right == nil {
            switch try await hasher.verdict(on: password, against: found?.passwordHash, imported: imported, for: owner) {
            case .matches: right = password
            case .differs: break
            case .unusableHash: isUnusable = true
            }
        }
        let refusal = failure(found?.user, hasPassword: found?.passwordHash != nil, matches: right != nil)
        guard let failure = isUnusable ? .unusableHash : refusal else {
            guard let found, let hash = found.passwordHash, let right else { throw .fault() }
            if hasher.needsRehash(hash) { await rehash(right, of: found.user.id, from: hash, owner) }
            return found
        }
        await note(.signInFailed(failure), found?.user.id, by: .anonymous, client, caller)
        throw attempt.tellsDisabled && failure == .disabledUser ? .userDisabled : .invalidCredentials
    }

    /// - Throws: `IdentityError.invalidInput` when the first reading can be no password; the others may be none.
    private static func presented(_ readings: [SecretString]) throws(IdentityError) -> [Password] {
        let first = try readings.prefix(1).map { reading throws(IdentityError) in
            try valid { () throws(InputProblem) in try Password(presented: reading.revealedText) }
        }
        return first + readings.dropFirst().compactMap { try? Password(presented: $0.revealedText) }
    }

    private static func valid<T>(_ body: () throws(InputProblem) -> T) throws(IdentityError) -> T {
        do throws(InputProblem) {
            return try body()
        } catch {
            throw .invalidInput([error])
        }
    }

    private func failure(_ user: User?, hasPassword: Bool, matches: Bool) -> AuditKind.SignInFailure? {
        guard let user else { return .unknownUser }
        if !hasPassword { return .noPassword }
        if !matches { return .wrongPassword }
        // Else who has signed up could tell by the password whether the address had been free.
        if rules.signsUpByMail, !user.emailVerified { return .emailNotVerified }
        return user.isDisabled ? .disabledUser : nil
    }

    /// Brings a stored hash up to today's parameters while the password is at hand. If that cannot be done now, then next time.
    private func rehash(_ password: Password, of id: UserID, from old: String, _ owner: JobOwner) async {
        guard let new = try? await hasher.hash(password, for: owner) else { return }
        try? await users.rehashPassword(of: id, from: old, to: new)
    }
}
