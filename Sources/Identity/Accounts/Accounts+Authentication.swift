package import Text

/// What somebody presents to sign in.
package struct SignInAttempt: Sendable {
    /// By what a user says who they are.
    package enum Name: Sendable {
        case email(String)
        case username(String)
        /// Either, where there is one field for both: what is one user's username and another's address is the address.
        case usernameOrEmail(String)
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

    /// The user whose name and password these are. Counted before anything is hashed.
    func authenticate(_ attempt: SignInAttempt, _ client: Client, _ caller: Caller) async throws(IdentityError) -> User {
        let presented = try Self.presented(attempt.passwords)
        switch try await resolved(attempt.name) {
        case .email(let text):
            let address = try Self.valid { () throws(InputProblem) in try EmailAddress(text) }
            let limit = LimitAttempt.signIn(account: address.normalized, name: address.normalized, client: client.id, caller)
            return try await limiter.limiting(limit, caller) { () throws(IdentityError) in
                try await authenticate(attempt, presented, try await users.credentials(of: address), client, caller)
            }
        case .username(let text), .usernameOrEmail(let text):
            // What can be no username is nobody's. Whoever it is has one count, by whichever name: so who it is has to be known first.
            let username = try? Username(text)
            var found: UserStore.Credentials?
            if let username { found = try await users.credentials(of: username) }
            let name = username?.folded ?? ""
            let limit = LimitAttempt.signIn(
                account: found?.user.email.normalized ?? name, name: name, client: client.id, caller)
            return try await limiter.limiting(limit, caller) { () throws(IdentityError) in
                try await authenticate(attempt, presented, found, client, caller)
            }
        }
    }

    /// What was typed into a field for both is a username if it can be no address, or is no user's address but somebody's username.
    private func resolved(_ name: SignInAttempt.Name) async throws(IdentityError) -> SignInAttempt.Name {
        guard case .usernameOrEmail(let text) = name else { return name }
        guard let address = try? EmailAddress(text) else { return .username(text) }
        guard let username = try? Username(text), try await users.credentials(of: username) != nil,
            try await users.credentials(of: address) == nil
        else { return .email(text) }
        return .username(text)
    }

    private func authenticate(
        _ attempt: SignInAttempt, _ presented: [Password], _ found: UserStore.Credentials?, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> User {
        var right: Password?
        for password in presented where right == nil {
            if try await hasher.verify(password, against: found?.passwordHash) { right = password }
        }
        guard let failure = failure(found?.user, hasPassword: found?.passwordHash != nil, matches: right != nil) else {
            guard let found, let hash = found.passwordHash, let right else { throw .internalFault }
            if hasher.needsRehash(hash) { await rehash(right, of: found.user.id, from: hash) }
            return found.user
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
    private func rehash(_ password: Password, of id: UserID, from old: String) async {
        guard let new = try? await hasher.hash(password) else { return }
        try? await users.rehashPassword(of: id, from: old, to: new)
    }
}
