import Networking
package import Text

extension Administration {
    /// A user whom an administrator makes.
    package struct NewUser: Sendable {
        package let email: String
        /// Nil for one who signs in otherwise, or sets a password by mail.
        package let password: SecretString?
        package let displayName: String?
        /// Whether the administrator vouches for the address.
        package let isEmailVerified: Bool

        package init(email: String, password: SecretString?, displayName: String?, isEmailVerified: Bool) {
            self.email = email
            self.password = password
            self.displayName = displayName
            self.isEmailVerified = isEmailVerified
        }
    }

    /// - Throws: `IdentityError.invalidInput` with all problems, `emailTaken`, `overloaded`, `unavailable`.
    package func create(_ request: NewUser) async throws(AdministrationError) -> User {
        try await with(.changeUsers) { () throws(IdentityError) in
            let problems = Accounts.objections(
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
                let owner = JobOwner(hashingFor: caller, account: new.account, client: nil)
                hash = try await accounts.hasher.hash(chosen, for: owner)
            }
            let user = try await users.insert(new, passwordHash: hash)
            await note(.userCreated, user.id)
            return user
        }
    }

    /// The user of an address; nil when nobody has it.
    package func user(of email: EmailAddress) async throws(AdministrationError) -> User? {
        try await with(.readUsers) { () throws(IdentityError) in try await users.credentials(of: email)?.user }
    }

    /// - Returns: nil when there is no such user.
    package func user(_ id: UserID) async throws(AdministrationError) -> User? {
        try await with(.readUsers) { () throws(IdentityError) in
            do throws(IdentityError) {
                return try await users.user(id)
            } catch .userNotFound {
                return nil
            } catch {
                throw error
            }
        }
    }

    /// The users whose address begins so, in the order of their addresses.
    package func users(_ prefix: EmailPrefix, count: Int) async throws(AdministrationError) -> [User] {
        try await with(.readUsers) { () throws(IdentityError) in try await users.users(prefix, count: count) }
    }

    /// Everything that PostgreSQL has of a user but for audit events, without secrets.
    /// - Throws: `IdentityError.userNotFound`, `unavailable`.
    package func data(of id: UserID) async throws(AdministrationError) -> JSONObject {
        try await with(.readUsers) { () throws(IdentityError) in try await users.data(of: id) }
    }

    /// The same for whoever takes it out, which is put on record, with the sessions.
    package func export(_ id: UserID) async throws(AdministrationError) -> (data: JSONObject, sessions: [Session]) {
        try await with(.exportUsers) { () throws(IdentityError) in
            let found = (try await users.data(of: id), try await sessions.list(of: id))
            await note(.userExported, id)
            return found
        }
    }

    /// Replaces a user's claims. Tokens that are out keep theirs; the sessions give the new ones.
    /// - Throws: `IdentityError.userNotFound`, `unavailable`.
    package func setClaims(_ claims: CustomClaims, of id: UserID) async throws(AdministrationError) -> User {
        try await with(.changeUsers) { () throws(IdentityError) in
            let user = try await users.setTokenContent(of: id, claims: claims, roles: nil, at: system.now())
            try await sessions.update(SessionOwner(user), of: id)
            await note(.userClaimsChanged, id)
            return user
        }
    }

    /// Replaces a user's roles. Tokens that are out keep theirs; the sessions give the new ones.
    /// - Throws: `IdentityError.userNotFound`, `unavailable`.
    package func setRoles(_ roles: Roles, of id: UserID) async throws(AdministrationError) -> User {
        try await with(.changeUsers) { () throws(IdentityError) in
            let user = try await users.setTokenContent(of: id, claims: nil, roles: roles, at: system.now())
            try await sessions.update(SessionOwner(user), of: id)
            var detail = JSONObject()
            detail["roles"] = .array(roles.names.map { .string($0) })
            await note(.userRolesChanged, id, detail: detail)
            return user
        }
    }

    /// Puts on record that users of another system were taken over.
    package func noteImport(from source: String, _ tally: UserImport.Tally) async {
        var detail = JSONObject()
        detail["source"] = .string(source)
        for (name, count) in tally.counts { detail[name] = .integer(Int64(count)) }
        await note(.usersImported, detail: detail)
    }

    /// Puts on record that all users were written out.
    package func noteExport(count: Int, hasHashes: Bool) async {
        var detail = JSONObject()
        detail["count"] = .integer(Int64(count))
        detail["hashes"] = .bool(hasHashes)
        await note(.usersExported, detail: detail)
    }

    /// Bars a user from signing in, and ends all sessions.
    /// - Throws: `IdentityError.userNotFound`, `overloaded`, `unavailable`.
    package func disable(_ id: UserID) async throws(AdministrationError) {
        try await with(.changeUsers) { () throws(IdentityError) in
            try await accounts.disable(id, by: actor, caller: caller)
        }
    }

    /// - Throws: `IdentityError.userNotFound`, `unavailable`.
    package func enable(_ id: UserID) async throws(AdministrationError) {
        try await with(.changeUsers) { () throws(IdentityError) in
            _ = try await users.enable(id, at: system.now())
            await note(.userEnabled, id)
        }
    }

    /// Deletes a user and all that is theirs.
    /// - Throws: `IdentityError.userNotFound`, `overloaded`, `unavailable`.
    package func delete(_ id: UserID) async throws(AdministrationError) {
        try await with(.deleteUsers) { () throws(IdentityError) in
            try await accounts.delete(id, by: actor, caller: caller)
        }
    }
}
