import Networking
import Postgres
package import Text

/// How users come in that only this protocol knows.
extension ProjectAccounts {
    /// The method of a session that began with a token of the project's own servers.
    package static let customToken = AuthenticationMethod("custom")

    /// Makes a user with a password.
    /// - Throws: `IdentityError.emailTaken`, `clientNotPermitted`, `tooManyRequests`, `overloaded`, `unavailable`.
    package func signUp(
        email: EmailAddress, password: Password, displayName: DisplayName?, client: Client, caller: Caller
    ) async throws(IdentityError) -> Authentication {
        guard client.maySignUsersIn else { throw .clientNotPermitted }
        try await accounts.limiter.take(.signUp(account: email.normalized, client: client.id, hashes: true, caller), caller)
        // Without a session the user would be told to come back, and then that the address is taken.
        try await sessions.checkReadiness()
        // There is no account yet: of many at once for one address one comes through, and the others are told so.
        let owner = JobOwner(hashingFor: caller, account: nil, client: client.id)
        let hash = try await accounts.hasher.hash(password, for: owner)
        let now = system.now()
        let new = User(
            id: UserID(at: now, random: system.random(10)), email: email, displayName: displayName, createdAt: now,
            updatedAt: now)
        do throws(IdentityError) {
            return try await begun(
                try await users.insert(new, passwordHash: hash), by: [.password], client, caller)
        } catch {
            if error == .emailTaken { await accounts.note(.signUpRefused, nil, by: .anonymous, client, caller) }
            throw error
        }
    }

    /// Tells of an address that somebody has: before it is said what else is wrong with a sign-up.
    /// - Throws: `IdentityError.emailTaken`, `clientNotPermitted`, `tooManyRequests`, `unavailable`.
    package func requireFree(_ email: EmailAddress, client: Client, caller: Caller) async throws(IdentityError) {
        try await accounts.limiter.take(.signUp(account: nil, client: client.id, hashes: false, caller), caller)
        if try await user(of: email) != nil { throw .emailTaken }
    }

    /// Makes a user of whom nothing is known.
    /// - Throws: `IdentityError.clientNotPermitted`, `tooManyRequests`, `unavailable`.
    package func signUpAnonymously(client: Client, caller: Caller) async throws(IdentityError) -> Authentication {
        guard client.maySignUsersIn else { throw .clientNotPermitted }
        try await accounts.limiter.take(.signUp(account: nil, client: client.id, hashes: false, caller), caller)
        try await sessions.checkReadiness()
        let now = system.now()
        let new = User(
            id: UserID(at: now, random: system.random(10)), email: nil, isAnonymous: true, createdAt: now, updatedAt: now)
        return try await begun(try await users.insert(new, passwordHash: nil), by: [], client, caller)
    }

    /// Signs in by a provider's proof. One that names no address, as Apple's where the app asks for none, makes a user without.
    /// - Throws: as `Accounts.authenticate`.
    package func signInWithProvider(
        _ verifiedToken: VerifiedIDToken, displayName: String?, client: Client, caller: Caller
    ) async throws(IdentityError) -> Authentication {
        if verifiedToken.email == nil,
            try await users(ProjectUserNames(provider: verifiedToken.provider, subject: verifiedToken.subject)).isEmpty
        {
            do throws(IdentityError) {
                return try await signUpWithoutAddress(verifiedToken, displayName, client, caller)
            } catch .identityTaken {
                // Another sign-in of the same person was faster.
            }
        }
        return try await accounts.authenticate(
            identity: verifiedToken, displayName: displayName, client: client, caller: caller
        ).completed()
    }

    private func signUpWithoutAddress(
        _ verifiedToken: VerifiedIDToken, _ displayName: String?, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> Authentication {
        guard client.maySignUsersIn else { throw .clientNotPermitted }
        try await accounts.limiter.take(.signUp(account: nil, client: client.id, hashes: false, caller), caller)
        try await sessions.checkReadiness()
        let name = displayName.flatMap { try? DisplayName($0) }
        let presented = PresentedIdentity(verifiedToken, toldName: name, claimedEmail: nil)
        let now = system.now()
        let id = UserID(at: now, random: system.random(10))
        let new = User(
            id: id, email: nil, displayName: presented.displayName, photoURL: presented.photoURL, createdAt: now, updatedAt: now)
        let user = try await accounts.identityStore.create(new, passwordHash: nil, with: presented.identity(of: id, at: now))
        await accounts.note(.identityLinked(.signUp), id, by: .user(id), client, caller, detail: presented.detail)
        accounts.metrics.countSignUp()
        await accounts.note(.userSignedUp, id, by: .user(id), client, caller)
        return Authentication(
            of: user, by: [.provider], provider: verifiedToken.provider, at: now,
            occasion: .provider(verifiedToken.provider, .created))
    }

    /// Signs in whom the project's own servers vouch for, and makes the user if there is none of that id.
    /// - Parameter claims: for the tokens of this session, beside the user's own.
    /// - Throws: `IdentityError.userDisabled`, `clientNotPermitted`, `tooManyRequests`, `unavailable`.
    package func signInWithCustomToken(
        customID: String, claims: JSONObject, client: Client, caller: Caller
    ) async throws(IdentityError) -> Authentication {
        guard client.maySignUsersIn else { throw .clientNotPermitted }
        var isNew = false
        let user: User
        do throws(IdentityError) {
            user = try await self.user(localID: customID).user
        } catch .userNotFound {
            try await sessions.checkReadiness()
            do throws(IdentityError) {
                user = try await create(NewProjectUser(localID: customID), by: client, caller: caller).user
                isNew = true
            } catch .usernameTaken {
                user = try await self.user(localID: customID).user
            }
        }
        guard !user.isDisabled else { throw .userDisabled }
        try await mark(user.id, Self.markCustomToken)
        var methods: Set<AuthenticationMethod> = []
        if let method = Self.customToken { methods.insert(method) }
        return Authentication(
            of: user.with(claims: claims), by: methods, at: system.now(), occasion: isNew ? .signUp : .continued,
            claims: claims)
    }

    /// Notes a way in that only this protocol knows.
    func mark(_ id: UserID, _ statement: Statement) async throws(IdentityError) {
        _ = try await mapPostgresErrors { () throws(PostgresError) in
            try await users.pool.query(statement, [.uuid(id.description)])
        }
    }

    /// Who has no address yet has nothing but what the project's server says.
    private static let markCustomToken = Statement(
        name: "project_marks_custom_token",
        sql: """
            INSERT INTO project_marks (user_id, signs_in_by_custom_token, is_vouched_for)
            SELECT id, true, email IS NULL FROM users WHERE id = $1::uuid FOR KEY SHARE
            ON CONFLICT (user_id) DO UPDATE
            SET signs_in_by_custom_token = true, is_vouched_for = project_marks.is_vouched_for OR excluded.is_vouched_for
            WHERE NOT project_marks.signs_in_by_custom_token OR excluded.is_vouched_for AND NOT project_marks.is_vouched_for
            """)

    static let markLink = Statement(
        name: "project_marks_link",
        sql: """
            INSERT INTO project_marks (user_id, signs_in_by_link) SELECT id, true FROM users WHERE id = $1::uuid FOR KEY SHARE
            ON CONFLICT (user_id) DO UPDATE SET signs_in_by_link = true WHERE NOT project_marks.signs_in_by_link
            """)

    /// Whoever has just changed the ways in begins anew, in the place of the session that asked. What was before is void, so that the time of the
    /// sign-in must not be before either.
    package func continuing(
        _ user: User, after session: Session, with method: AuthenticationMethod? = nil, provider: ProviderID? = nil,
        enrolment: (@Sendable () async throws(IdentityError) -> Void)? = nil
    ) -> Authentication {
        var methods = session.methods
        if let method { methods.insert(method) }
        return Authentication(
            of: user, by: methods, provider: provider ?? session.provider, at: system.now(), occasion: .continued,
            claims: session.ownClaims, enrolment: enrolment)
    }

    private func begun(
        _ user: User, by methods: Set<AuthenticationMethod>, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> Authentication {
        accounts.metrics.countSignUp()
        await accounts.note(.userSignedUp, user.id, by: .user(user.id), client, caller)
        return Authentication(of: user, by: methods, at: system.now(), occasion: .signUp)
    }
}

extension User {
    /// The same user with further claims for the tokens of one session.
    fileprivate func with(claims further: JSONObject) -> User {
        guard !further.isEmpty else { return self }
        var claims = claims
        for member in further.members { claims[member.key] = member.value }
        return User(
            id: id, email: email, emailVerified: emailVerified, displayName: displayName, photoURL: photoURL,
            phoneNumber: phoneNumber, isAnonymous: isAnonymous, claims: claims, roles: roles, tokensValidAfter: tokensValidAfter,
            credentialsVersion: credentialsVersion, disabledAt: disabledAt, createdAt: createdAt, updatedAt: updatedAt,
            lastSignInAt: lastSignInAt, firstProvider: firstProvider, emailClaimed: emailClaimed)
    }
}

/// What became of a refresh token that is not good.
package enum RefreshTokenStanding: Sendable {
    /// It never was one of ours.
    case garbage
    /// Its session is over, or it has been used up. Nil for a user whom nobody remembers.
    case over(UserID?)
}

extension Sessions {
    /// Why a refresh token was refused: for a protocol whose clients sign out for one reason and not for the other.
    /// - Throws: `IdentityError.unavailable`.
    package func standing(ofRefused token: SecretString) async throws(IdentityError) -> RefreshTokenStanding {
        guard let presented = PresentedRefreshToken(token.revealedText) else { return .garbage }
        do throws(IdentityError) {
            return .over(try await holder(of: token).userID)
        } catch .invalidRefreshToken {
            // Of a session that nobody remembers the mac cannot be checked.
            if case .missing = try await store.record(presented.sessionID, at: system.now()) { return .over(nil) }
            return .garbage
        }
    }
}

extension ProjectAccounts {
    /// Makes a provider's account a further way in for who is signed in, and signs them in by it. A user without an address gets the provider's,
    /// if nobody has it.
    /// - Parameters:
    ///   - trustsSession: whether the session is enough, however old. For a user who is anonymous it is.
    ///   - tellsHolders: whether it is no secret who has which address; if it is, it is told to whom the provider knows by it.
    /// - Throws: as `Accounts.link`; `identityTaken` also where it is the user's own already; `emailTaken` where another's account has the address.
    package func link(
        _ verifiedToken: VerifiedIDToken, to user: ProjectUser, in id: SessionID, trustsSession: Bool, tellsHolders: Bool,
        caller: Caller
    ) async throws(IdentityError) -> Authentication {
        let session = try await sessions.session(id)
        let holders = try await self.users(ProjectUserNames(provider: verifiedToken.provider, subject: verifiedToken.subject))
        guard !holders.contains(where: { $0.user.id == user.user.id }) else { throw .identityTaken }
        if holders.isEmpty, tellsHolders || verifiedToken.isEmailVerified, let email = verifiedToken.email,
            let holder = try await self.user(of: email), holder.id != user.user.id
        {
            throw .emailTaken
        }
        try await accounts.link(
            verifiedToken, to: user.user.id, session: id, trustsSession: trustsSession || user.user.isAnonymous, caller: caller)
        if user.user.isAnonymous { try await endAnonymity(of: user.user.id) }
        var change = ProjectUserChange()
        change.isProvedByLink = true
        if user.user.email == nil, let email = verifiedToken.email {
            change.email = .set(email)
            change.emailVerified = verifiedToken.isEmailVerified
        } else if verifiedToken.isEmailVerified, !user.user.emailVerified,
            verifiedToken.email?.normalized == user.user.email?.normalized
        {
            change.emailVerified = true
        }
        if user.user.displayName == nil, let name = verifiedToken.name.flatMap({ try? DisplayName($0) }) {
            change.displayName = .set(name)
        }
        if user.user.photoURL == nil, let photo = verifiedToken.pictureURL.flatMap({ try? PhotoURL($0) }) {
            change.photoURL = .set(photo)
        }
        do throws(IdentityError) {
            _ = try await self.change(user.user.id, change, by: .user(user.user.id), asked: session, caller: caller)
        } catch .emailTaken {
            // Somebody else's account has it; the identity is linked without.
        }
        return continuing(try await users.user(user.user.id), after: session, with: .provider, provider: verifiedToken.provider)
    }

    private func endAnonymity(of id: UserID) async throws(IdentityError) {
        _ = try await mapPostgresErrors { () throws(PostgresError) in
            try await users.pool.query(Self.nameUser, [.uuid(id.description)])
        }
    }

    private static let nameUser = Statement(
        name: "project_users_end_anonymity", sql: "UPDATE users SET is_anonymous = false WHERE id = $1::uuid")
}
