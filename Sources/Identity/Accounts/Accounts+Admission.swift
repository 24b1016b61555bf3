import Text

/// Whose account a provider's proof opens is for `LinkingRule` to say; here it is read, carried out on condition that it is still so, and
/// else asked again.
extension Accounts {
    /// How often a sign-in that others got in the way of looks again. Whoever was faster has left an identity or an address, which the
    /// next look finds.
    private static let attempts = 5

    /// The user whose account a claim opens, made if need be.
    func admit(
        _ presented: PresentedIdentity, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> (User, IdentityMetrics.ProviderSignIn) {
        for number in 0..<Self.attempts {
            do throws(IdentityError) {
                if let admitted = try await attempt(presented, client, caller, isFirst: number == 0) { return admitted }
            } catch .emailTaken, .identityTaken, .userNotFound {
                continue
            }
        }
        throw .unavailable(retryAfter: .seconds(1))
    }

    /// Nil when the account has changed under the decision.
    private func attempt(
        _ presented: PresentedIdentity, _ client: Client, _ caller: Caller, isFirst: Bool
    ) async throws(IdentityError) -> (User, IdentityMetrics.ProviderSignIn)? {
        let known = try await identityUser(presented)
        if known == nil, isFirst, presented.email != nil, !presented.isEmailVerified {
            try await limiter.take(.unprovedAddress(presented.provider, presented.subject, caller), caller)
        }
        let sameEmail = known == nil && !hidesHolder(of: presented) ? try await emailUser(presented) : nil
        let decision = LinkingRule.decision(
            on: presented, known: known.map { LinkingRule.Account($0) }, sameEmail: sameEmail.map { LinkingRule.Account($0) })
        switch (decision, known ?? sameEmail) {
        case (.signIn, let user?):
            try await requireGoodStanding(presented, user, client, caller)
            return (await named(user, presented.toldName), .known)
        case (.link, let user?): return try await link(presented, to: user, client, caller).map { ($0, .linked) }
        case (.reclaim, let user?): return try await reclaim(user, for: presented, client, caller).map { ($0, .reclaimed) }
        case (.create, nil): return (try await create(presented, client, caller), .created)
        case (.refuse(let refusal), let user):
            throw await refused(refusal, presented, user, client, caller)
        case (.signIn, nil), (.link, nil), (.reclaim, nil), (.create, _?): throw .fault()
        }
    }

    /// Whether a claim is answered as if nobody had its address: where sign-up says nothing of addresses, one that nobody answers for may be
    /// anybody's. The account that is made only claims it.
    private func hidesHolder(of presented: PresentedIdentity) -> Bool {
        rules.signsUpByMail && !presented.isEmailVerified
    }

    private func identityUser(_ presented: PresentedIdentity) async throws(IdentityError) -> User? {
        guard let id = try await identityStore.use(presented, at: system.now()) else { return nil }
        return try await users.user(id)
    }

    /// Refuses an identity that its provider has told us not to trust. After the user was read: whoever bars the identity from here on
    /// makes what was read of the user void.
    private func requireGoodStanding(
        _ presented: PresentedIdentity, _ user: User, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) {
        guard try await identityStore.isBarred(presented) else { return }
        await note(.signInFailed(.identityBarred), user.id, by: .anonymous, client, caller, detail: presented.detail)
        throw .invalidProviderToken
    }

    private func emailUser(_ presented: PresentedIdentity) async throws(IdentityError) -> User? {
        guard let email = presented.email else { return nil }
        return try await users.credentials(of: email)?.user
    }

    /// Rule 5.
    private func create(
        _ presented: PresentedIdentity, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> User {
        guard let email = presented.email else { throw .fault() }
        let ticket = try await takeSignUp(presented, email, client, hashes: false, caller)
        // Without a session the user would be told to come back, with a proof that is used up.
        try await sessions.checkReadiness()
        do throws(IdentityError) {
            return try await create(presented, email, passwordHash: nil, client, caller)
        } catch {
            // Another sign-in of the same person was faster, as a rule.
            if presented.isEmailVerified { await limiter.giveBack(ticket, caller) }
            throw error
        }
    }

    /// Counts a sign-up with a provider's proof. If that proves the address too, it is not refused for what others have tried with it.
    @discardableResult
    func takeSignUp(
        _ presented: PresentedIdentity, _ email: EmailAddress, _ client: Client, hashes: Bool, _ caller: Caller
    ) async throws(IdentityError) -> Limiter.Ticket {
        guard presented.isEmailVerified else {
            let attempt = LimitAttempt.signUp(account: email.normalized, client: client.id, hashes: hashes, caller)
            return try await limiter.take(attempt, caller)
        }
        if hashes { try await limiter.take(.hash(caller), caller) }
        return try await limiter.take(.provedSignUp(presented.provider, presented.subject, client: client.id), caller)
    }

    /// Makes a user with a provider's identity.
    func create(
        _ presented: PresentedIdentity, _ email: EmailAddress, passwordHash: String?, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> User {
        let now = system.now()
        let id = UserID(at: now, random: system.random(10))
        let user = try await identityStore.create(
            User(
                id: id, email: email, emailVerified: presented.isEmailVerified, displayName: presented.displayName,
                photoURL: presented.photoURL, createdAt: now, updatedAt: now,
                // A password makes a sign-up of it, which anybody may try with any address, and whose owner takes it back.
                emailClaimed: !presented.isEmailVerified && passwordHash == nil || hidesHolder(of: presented)),
            passwordHash: passwordHash, with: presented.identity(of: id, at: now))
        metrics.countSignUp()
        await note(.userSignedUp, id, by: .user(id), client, caller, detail: presented.detail)
        await note(.identityLinked(.signUp), id, by: .user(id), client, caller, detail: presented.detail)
        return user
    }

    private func refused(
        _ refusal: LinkingRule.Refusal, _ presented: PresentedIdentity, _ user: User?, _ client: Client, _ caller: Caller
    ) async -> IdentityError {
        let failure: AuditKind.SignInFailure
        let error: IdentityError
        switch refusal {
        case .needsLinking: (failure, error) = (.emailNeedsLinking, .emailNeedsLinking)
        case .disabled: (failure, error) = (.disabledUser, .invalidProviderToken)
        case .noEmail: return .invalidInput([InputProblem(.email, .missing)])
        }
        await note(.signInFailed(failure), user?.id, by: .anonymous, client, caller, detail: presented.detail)
        return error
    }
}

extension PresentedIdentity {
    /// What audit events say of it. The subject is no secret; the address stays out.
    var detail: JSONObject {
        JSONObject([JSONObject.Member(key: "provider", value: .string(provider.text))])
    }
}
