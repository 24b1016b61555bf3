import Networking
package import Text

/// What operators do with users, by the same rules as everybody.
extension Accounts {
    /// A user whom an operator makes.
    package struct NewUser: Sendable {
        package let email: String
        /// Nil for one who signs in otherwise, or sets a password by mail.
        package let password: SecretString?
        package let displayName: String?
        /// Whether the operator vouches for the address.
        package let isEmailVerified: Bool

        package init(email: String, password: SecretString?, displayName: String?, isEmailVerified: Bool) {
            self.email = email
            self.password = password
            self.displayName = displayName
            self.isEmailVerified = isEmailVerified
        }
    }

    /// Makes a user.
    /// - Throws: `IdentityError.invalidInput` with all problems, `emailTaken`, `overloaded`, `unavailable`.
    package func create(_ request: NewUser, caller: Caller) async throws(IdentityError) -> User {
        let problems = Self.objections(
            email: request.email, password: request.password, displayName: request.displayName)
        guard problems.isEmpty else { throw .invalidInput(problems) }
        let now = system.now()
        let new: User
        let chosen: Password?
        do throws(InputProblem) {
            let email = try EmailAddress(request.email)
            chosen = try request.password.map { text throws(InputProblem) in
                try Password(chosen: text.revealedText, for: email)
            }
            new = User(
                id: UserID(at: now, random: system.random(10)), email: email, emailVerified: request.isEmailVerified,
                displayName: try DisplayName(request.displayName ?? ""), createdAt: now, updatedAt: now)
        } catch {
            throw .invalidInput([error])
        }
        var hash: String?
        if let chosen {
            let owner = JobOwner(hashingFor: caller, account: new.email.normalized, client: nil)
            hash = try await hasher.hash(chosen, for: owner)
        }
        let user = try await users.insert(new, passwordHash: hash)
        await note(.userCreated, user.id, by: .administrator, nil, caller)
        return user
    }

    /// Ends all sessions of a user, and voids the sign-ins that are under way.
    /// - Throws: `IdentityError.userNotFound`, `overloaded`; `unavailable`: some may live on then, and the call may be repeated.
    package func signOut(_ id: UserID, caller: Caller) async throws(IdentityError) {
        try await changes.change(id, ending: .all(.revoked)) { _ in }
        await note(.allSessionsEnded(.revoked), id, by: .administrator, nil, caller)
    }

    /// The user of an address; nil when nobody has it.
    /// - Throws: `IdentityError.unavailable`.
    package func user(of email: EmailAddress) async throws(IdentityError) -> User? {
        try await users.credentials(of: email)?.user
    }

    /// The users whose address begins so, in the order of their addresses.
    /// - Throws: `IdentityError.unavailable`.
    package func users(_ prefix: EmailPrefix, count: Int) async throws(IdentityError) -> [User] {
        try await users.users(prefix, count: count)
    }

    /// Everything that PostgreSQL has of a user but for audit events, without secrets.
    /// - Throws: `IdentityError.userNotFound`, `unavailable`.
    package func data(of id: UserID) async throws(IdentityError) -> JSONObject {
        try await users.data(of: id)
    }

    /// Puts on record that an operator has taken out all that is stored of a user.
    package func noteExport(of id: UserID, caller: Caller) async {
        await note(.userExported, id, by: .administrator, nil, caller)
    }
}
