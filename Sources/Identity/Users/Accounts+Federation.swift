package import Text

/// Signing in and up with a provider's proof. Whose account it opens is for `LinkingRule` to say; here it is read, carried out on condition
/// that it is still so, and else asked again.
extension Accounts {
    /// What a provider's proof has opened.
    package typealias ProviderSignIn = (user: User, tokens: SessionTokens, isNew: Bool)

    /// What becomes of a user who has come in: a session, and its id.
    private typealias Beginning<Begun> = (User) async throws(IdentityError) -> (Begun, SessionID)

    /// How often a sign-in that others got in the way of looks again. Whoever was faster has left an identity or an address, which the
    /// next look finds.
    private static let attempts = 5

    /// Signs in whom a provider's proof names, and makes the account if there is none.
    ///
    /// - Parameters:
    ///   - displayName: what the client says that the user is called; kept where there is no name yet.
    ///   - claimedEmail: the client's word for the address, of use only for a new user when the proof has none; never verified, and
    ///     never a reason to link.
    /// - Throws: `IdentityError.emailNeedsLinking`; `invalidProof` for a disabled user; `invalidInput` when there is no address at all or
    ///   the name can be none; `tooManyRequests` for a new user; `clientNotPermitted`, `overloaded`, `unavailable`.
    package func signIn(
        with proof: VerifiedIDToken, displayName: String?, claimedEmail: String? = nil, client: Client, kind: SessionKind,
        leeway: Duration = .zero, caller: Caller
    ) async throws(IdentityError) -> ProviderSignIn {
        let claim = try Self.claim(proof, displayName, claimedEmail)
        return try await signIn(claim, client: client, kind: kind, leeway: leeway, caller: caller)
    }

    /// The same with a session that is held by a cookie.
    package func signIn(
        with proof: VerifiedIDToken, displayName: String?, claimedEmail: String? = nil, client: Client, terms: CookieTerms,
        caller: Caller
    ) async throws(IdentityError) -> (user: User, session: CookieSession, isNew: Bool) {
        let claim = try Self.claim(proof, displayName, claimedEmail)
        return try await signIn(claim, client, caller) { user throws(IdentityError) in
            let begun = try await sessions.begin(
                for: user, client: client, terms: terms, method: .provider(claim.provider), caller: caller)
            return (begun, begun.session.id)
        }
    }

    /// Takes the client's word for who somebody is at a provider. Anybody can sign in as anybody so: for a demonstration that is not
    /// open to the public, and for nothing else.
    /// - Throws: as `signIn(with:…)`.
    package func signInUnproved(
        provider: ProviderID, subject: String, email: String, displayName: String?, client: Client, kind: SessionKind,
        caller: Caller
    ) async throws(IdentityError) -> ProviderSignIn {
        let (name, address) = try Self.checked(displayName, email)
        guard (1...ExternalIdentity.maximumSubjectLength).contains(subject.utf8.count), !subject.utf8.contains(0) else {
            throw .invalidProof
        }
        let claim = IdentityClaim(
            provider: provider, subject: subject, audience: "", email: address, emailStanding: .unverified, toldName: name)
        return try await limiter.limiting(.proof(caller), caller) { () throws(IdentityError) in
            try await signIn(claim, client: client, kind: kind, leeway: .zero, caller: caller)
        }
    }

    /// Makes a user with a provider's proof and, if there is one, a password, and begins the first session.
    /// - Throws: `IdentityError.emailTaken` also when the identity is somebody's; `invalidInput`, `clientNotPermitted`,
    ///   `tooManyRequests`, `overloaded`, `unavailable`.
    package func signUp(
        with proof: VerifiedIDToken, password: SecretString?, displayName: String?, claimedEmail: String?, client: Client,
        kind: SessionKind, caller: Caller
    ) async throws(IdentityError) -> (user: User, tokens: SessionTokens) {
        guard client.maySignUsersIn else { throw .clientNotPermitted }
        let claim = try Self.claim(proof, displayName, claimedEmail)
        guard let address = claim.email else { throw .invalidInput([InputProblem(.email, .missing)]) }
        let chosen = try password.map { text throws(IdentityError) in try Self.chosen(text, for: address) }
        _ = try await permitSignUp(email: address.normalized, client: client, caller: caller)
        try await sessions.checkReadiness()
        var hash: String?
        if let chosen { hash = try await hasher.hash(chosen) }
        do throws(IdentityError) {
            let user = try await create(claim, address, passwordHash: hash, client, caller)
            let tokens = try await sessions.begin(
                for: user, client: client, kind: kind, method: .provider(claim.provider), caller: caller)
            metrics.count(IdentityMetrics.ProviderSignIn.created)
            return (user, tokens)
        } catch .emailTaken, .identityTaken {
            await note(.signUpRefused, nil, by: .anonymous, client, caller, detail: claim.detail)
            throw .emailTaken
        }
    }

    private func signIn(
        _ claim: IdentityClaim, client: Client, kind: SessionKind, leeway: Duration, caller: Caller
    ) async throws(IdentityError) -> ProviderSignIn {
        let (user, tokens, isNew) = try await signIn(claim, client, caller) { user throws(IdentityError) in
            let tokens = try await sessions.begin(
                for: user, client: client, kind: kind, method: .provider(claim.provider), leeway: leeway, caller: caller)
            return (tokens, tokens.session.id)
        }
        return (user, tokens, isNew)
    }

    private func signIn<Begun>(
        _ claim: IdentityClaim, _ client: Client, _ caller: Caller, beginning begin: Beginning<Begun>
    ) async throws(IdentityError) -> (User, Begun, Bool) {
        do throws(IdentityError) {
            guard client.maySignUsersIn else { throw .clientNotPermitted }
            let (user, outcome) = try await admit(claim, client, caller)
            let (begun, id) = try await noting(user, claim, client, caller) { () throws(IdentityError) in try await begin(user) }
            metrics.count(outcome)
            await note(.userSignedIn, user.id, by: .user(user.id), client, session: id, caller, detail: claim.detail)
            return (user, begun, outcome == .created)
        } catch {
            metrics.count(error.isOurs ? IdentityMetrics.ProviderSignIn.unavailable : .refused)
            throw error
        }
    }

    private func admit(
        _ claim: IdentityClaim, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> (User, IdentityMetrics.ProviderSignIn) {
        for _ in 0..<Self.attempts {
            do throws(IdentityError) {
                if let admitted = try await attempt(claim, client, caller) { return admitted }
            } catch .emailTaken, .identityTaken, .userNotFound {
                continue
            }
        }
        throw .unavailable(retryAfter: .seconds(1))
    }

    /// Nil when the account has changed under the decision.
    private func attempt(
        _ claim: IdentityClaim, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> (User, IdentityMetrics.ProviderSignIn)? {
        let known = try await identityUser(claim)
        let sameEmail = known == nil ? try await emailUser(claim) : nil
        let decision = LinkingRule.decision(
            on: claim, known: known.map { LinkingRule.Account($0) }, sameEmail: sameEmail.map { LinkingRule.Account($0) })
        switch (decision, known ?? sameEmail) {
        case (.signIn, let user?):
            try await requireGoodStanding(claim, user, client, caller)
            return (await named(user, claim.toldName), .known)
        case (.link, let user?): return try await link(claim, to: user, client, caller).map { ($0, .linked) }
        case (.reclaim, let user?): return try await reclaim(user, for: claim, client, caller).map { ($0, .reclaimed) }
        case (.create, nil): return (try await create(claim, client, caller), .created)
        case (.refuse(let refusal), let user):
            throw await refused(refusal, claim, user, client, caller)
        case (.signIn, nil), (.link, nil), (.reclaim, nil), (.create, _?): throw .internalFault
        }
    }

    private func identityUser(_ claim: IdentityClaim) async throws(IdentityError) -> User? {
        guard let id = try await identityStore.use(claim, at: ambience.now()) else { return nil }
        return try await users.user(id)
    }

    /// Refuses an identity that its provider has told us not to trust. After the user was read: whoever bars the identity from here on
    /// makes what was read of the user void.
    private func requireGoodStanding(
        _ claim: IdentityClaim, _ user: User, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) {
        guard try await identityStore.isBarred(claim) else { return }
        await note(.signInFailed(.identityBarred), user.id, by: .anonymous, client, caller, detail: claim.detail)
        throw .invalidProof
    }

    private func emailUser(_ claim: IdentityClaim) async throws(IdentityError) -> User? {
        guard let email = claim.email else { return nil }
        return try await users.credentials(of: email)?.user
    }

    /// How long it is of use to tell a user that there is a new way into his account.
    private static let noticeLifetime: Duration = .seconds(7 * 86_400)

    /// Rule 4a. The user is told by mail.
    private func link(
        _ claim: IdentityClaim, to user: User, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> User? {
        let identity = claim.identity(of: user.id, at: ambience.now())
        guard try await identityStore.add(identity, to: user, provingOwn: claim.email) else { return nil }
        await note(.identityLinked(.sameEmail), user.id, by: .user(user.id), client, caller, detail: claim.detail)
        // The link stands; a notice that cannot be written now is no reason to refuse the user.
        try? await outbox.add(notice(of: .identityLinked, to: user))
        return await named(try await users.user(user.id), claim.displayName)
    }

    private func notice(of kind: Mail.Kind, to user: User) -> Mail {
        let now = ambience.now()
        return Mail(
            id: ambience.uuid(), userID: user.id, kind: kind, recipient: user.email.normalized, language: .english,
            link: SecretString(""), createdAt: now, expiresAt: now.adding(Self.noticeLifetime))
    }

    /// Rule 4b.
    private func reclaim(
        _ user: User, for claim: IdentityClaim, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> User? {
        let now = ambience.now()
        let reclaimed = try await identityStore.reclaim(user, for: claim.identity(of: user.id, at: now), at: now) {
            () throws(IdentityError) in try await sessions.endAll(of: user.id, reason: .accountReclaimed)
        }
        guard let reclaimed else { return nil }
        await limiter.forget(reclaimed.email.normalized)
        await note(.accountReclaimed, user.id, by: .user(user.id), client, caller, detail: claim.detail)
        await note(.identityLinked(.reclaimed), user.id, by: .user(user.id), client, caller, detail: claim.detail)
        return await named(reclaimed, claim.displayName)
    }

    /// Rule 5.
    private func create(
        _ claim: IdentityClaim, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> User {
        guard let email = claim.email else { throw .internalFault }
        _ = try await permitSignUp(email: email.normalized, client: client, caller: caller)
        // Without a session the user would be told to come back, with a proof that is used up.
        try await sessions.checkReadiness()
        return try await create(claim, email, passwordHash: nil, client, caller)
    }

    private func create(
        _ claim: IdentityClaim, _ email: EmailAddress, passwordHash: String?, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> User {
        let now = ambience.now()
        let id = UserID(at: now, random: ambience.random(10))
        let user = try await identityStore.create(
            User(
                id: id, email: email, emailVerified: claim.isEmailVerified, displayName: claim.displayName,
                photoURL: claim.photoURL, createdAt: now, updatedAt: now),
            passwordHash: passwordHash, with: claim.identity(of: id, at: now))
        metrics.countSignUp()
        await note(.userSignedUp, id, by: .user(id), client, caller, detail: claim.detail)
        await note(.identityLinked(.signUp), id, by: .user(id), client, caller, detail: claim.detail)
        return user
    }

    /// Puts on record that the account has changed since it was found, which makes the proof one for nothing.
    private func noting<Begun>(
        _ user: User, _ claim: IdentityClaim, _ client: Client, _ caller: Caller,
        _ begin: () async throws(IdentityError) -> Begun
    ) async throws(IdentityError) -> Begun {
        do throws(IdentityError) {
            return try await begin()
        } catch .invalidCredentials {
            await note(.signInFailed(.accountChanged), user.id, by: .anonymous, client, caller, detail: claim.detail)
            throw .invalidProof
        }
    }

    private func refused(
        _ refusal: LinkingRule.Refusal, _ claim: IdentityClaim, _ user: User?, _ client: Client, _ caller: Caller
    ) async -> IdentityError {
        let failure: AuditKind.SignInFailure
        let error: IdentityError
        switch refusal {
        case .needsLinking: (failure, error) = (.emailNeedsLinking, .emailNeedsLinking)
        case .disabled: (failure, error) = (.disabledUser, .invalidProof)
        case .noEmail: return .invalidInput([InputProblem(.email, .missing)])
        }
        await note(.signInFailed(failure), user?.id, by: .anonymous, client, caller, detail: claim.detail)
        return error
    }

    /// Gives a user who has no name this one. Not worth failing a sign-in for.
    private func named(_ user: User, _ name: DisplayName?) async -> User {
        guard user.displayName == nil, let name else { return user }
        let changed = try? await users.updateProfile(
            of: user.id, displayName: .set(name), photoURL: .keep, settings: JSONObject(), at: ambience.now())
        return changed ?? user
    }

    private static func claim(
        _ proof: VerifiedIDToken, _ displayName: String?, _ claimedEmail: String?
    ) throws(IdentityError) -> IdentityClaim {
        let (name, email) = try checked(displayName, proof.email == nil ? claimedEmail : nil)
        return IdentityClaim(proof, toldName: name, claimedEmail: email)
    }

    private static func checked(_ name: String?, _ email: String?) throws(IdentityError) -> (DisplayName?, EmailAddress?) {
        var problems: [InputProblem] = []
        let name = collect(&problems) { () throws(InputProblem) in try DisplayName(name ?? "") } ?? nil
        let address = collect(&problems) { () throws(InputProblem) in
            try email.map { text throws(InputProblem) in try EmailAddress(text) }
        }
        guard problems.isEmpty else { throw .invalidInput(problems) }
        return (name, address ?? nil)
    }

    private static func chosen(_ text: SecretString, for email: EmailAddress) throws(IdentityError) -> Password {
        do throws(InputProblem) {
            return try Password(chosen: text.revealedText, for: email)
        } catch {
            throw .invalidInput([error])
        }
    }
}

extension IdentityClaim {
    /// What audit events say of it. The subject is no secret; the address stays out.
    var detail: JSONObject {
        JSONObject([JSONObject.Member(key: "provider", value: .string(provider.text))])
    }
}
