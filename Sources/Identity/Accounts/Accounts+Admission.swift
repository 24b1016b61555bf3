import Text

/// Whose account a provider's proof opens is for `LinkingRule` to say; here it is read, carried out on condition that it is still so, and
/// else asked again.
extension Accounts {
    /// How often a sign-in that others got in the way of looks again. Whoever was faster has left an identity or an address, which the
    /// next look finds.
    private static let attempts = 5

    /// The user whose account a claim opens, made if need be.
    func admit(
        _ claim: IdentityClaim, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> (User, IdentityMetrics.ProviderSignIn) {
        for number in 0..<Self.attempts {
            do throws(IdentityError) {
                if let admitted = try await attempt(claim, client, caller, isFirst: number == 0) { return admitted }
            } catch .emailTaken, .identityTaken, .userNotFound {
                continue
            }
        }
        throw .unavailable(retryAfter: .seconds(1))
    }

    /// Nil when the account has changed under the decision.
    private func attempt(
        _ claim: IdentityClaim, _ client: Client, _ caller: Caller, isFirst: Bool
    ) async throws(IdentityError) -> (User, IdentityMetrics.ProviderSignIn)? {
        let known = try await identityUser(claim)
        if known == nil, isFirst, claim.email != nil, !claim.isEmailVerified {
            try await limiter.take(.unprovedAddress(claim.provider, claim.subject, caller), caller)
        }
        let sameEmail = known == nil && !hidesHolder(of: claim) ? try await emailUser(claim) : nil
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
        case (.signIn, nil), (.link, nil), (.reclaim, nil), (.create, _?): throw .fault()
        }
    }

    /// Whether a claim is answered as if nobody had its address: where sign-up says nothing of addresses, one that nobody answers for may be
    /// anybody's. The account that is made only claims it.
    private func hidesHolder(of claim: IdentityClaim) -> Bool {
        rules.signsUpByMail && !claim.isEmailVerified
    }

    private func identityUser(_ claim: IdentityClaim) async throws(IdentityError) -> User? {
        guard let id = try await identityStore.use(claim, at: system.now()) else { return nil }
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

    /// Rule 5.
    private func create(
        _ claim: IdentityClaim, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> User {
        guard let email = claim.email else { throw .fault() }
        let ticket = try await takeSignUp(claim, email, client, hashes: false, caller)
        // Without a session the user would be told to come back, with a proof that is used up.
        try await sessions.checkReadiness()
        do throws(IdentityError) {
            return try await create(claim, email, passwordHash: nil, client, caller)
        } catch {
            // Another sign-in of the same person was faster, as a rule.
            if claim.isEmailVerified { await limiter.giveBack(ticket, caller) }
            throw error
        }
    }

    /// Counts a sign-up with a provider's proof. If that proves the address too, it is not refused for what others have tried with it.
    @discardableResult
    func takeSignUp(
        _ claim: IdentityClaim, _ email: EmailAddress, _ client: Client, hashes: Bool, _ caller: Caller
    ) async throws(IdentityError) -> Limiter.Ticket {
        guard claim.isEmailVerified else {
            let attempt = LimitAttempt.signUp(account: email.normalized, client: client.id, hashes: hashes, caller)
            return try await limiter.take(attempt, caller)
        }
        if hashes { try await limiter.take(.hash(caller), caller) }
        return try await limiter.take(.provedSignUp(claim.provider, claim.subject, client: client.id), caller)
    }

    /// Makes a user with a provider's identity.
    func create(
        _ claim: IdentityClaim, _ email: EmailAddress, passwordHash: String?, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> User {
        let now = system.now()
        let id = UserID(at: now, random: system.random(10))
        let user = try await identityStore.create(
            User(
                id: id, email: email, emailVerified: claim.isEmailVerified, displayName: claim.displayName,
                photoURL: claim.photoURL, createdAt: now, updatedAt: now,
                // A password makes a sign-up of it, which anybody may try with any address, and whose owner takes it back.
                emailClaimed: !claim.isEmailVerified && passwordHash == nil || hidesHolder(of: claim)),
            passwordHash: passwordHash, with: claim.identity(of: id, at: now))
        metrics.countSignUp()
        await note(.userSignedUp, id, by: .user(id), client, caller, detail: claim.detail)
        await note(.identityLinked(.signUp), id, by: .user(id), client, caller, detail: claim.detail)
        return user
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
}

extension IdentityClaim {
    /// What audit events say of it. The subject is no secret; the address stays out.
    var detail: JSONObject {
        JSONObject([JSONObject.Member(key: "provider", value: .string(provider.text))])
    }
}
