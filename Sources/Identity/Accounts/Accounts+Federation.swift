import Networking
package import Text

/// Signing in and up with a provider's proof. Whose account it opens is for `admit` to find out.
extension Accounts {
    /// What a provider's proof has opened.
    package typealias ProviderSignIn = (user: User, tokens: SessionTokens, isNew: Bool)

    /// What becomes of a user who has come in: a session, and its id.
    private typealias Beginning<Begun> = (User) async throws(IdentityError) -> (Begun, SessionID)

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
        try await takeSignUp(claim, address, client, hashes: chosen != nil, caller)
        try await sessions.checkReadiness()
        var hash: String?
        if let chosen {
            let owner = JobOwner(hashingFor: caller, account: address.normalized, client: client.id)
            hash = try await hasher.hash(chosen, for: owner)
        }
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
