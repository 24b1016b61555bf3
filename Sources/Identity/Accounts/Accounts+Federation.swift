import Networking
package import Text

/// Signing in and up with a provider's proof. Whose account it opens is for `admit` to find out.
extension Accounts {
    /// Finds out whose account a provider's proof opens, and makes the account if there is none.
    ///
    /// - Parameters:
    ///   - displayName: what the client says that the user is called; kept where there is no name yet.
    ///   - claimedEmail: the client's word for the address, of use only for a new user when the proof has none; never verified, and
    ///     never a reason to link.
    /// - Throws: `IdentityError.emailNeedsLinking`; `invalidProviderToken` for a disabled user; `invalidInput` when there is no address at all or
    ///   the name can be none; `tooManyRequests` for a new user; `clientNotPermitted`, `overloaded`, `unavailable`.
    package func authenticate(
        identity verifiedToken: VerifiedIDToken, displayName: String?, claimedEmail: String? = nil, client: Client, caller: Caller
    ) async throws(IdentityError) -> AuthenticationResult {
        try await authenticate(Self.presented(verifiedToken, displayName, claimedEmail), client, caller)
    }

    /// Takes the client's word for who somebody is at a provider. Anybody can sign in as anybody so: for a demonstration that is not
    /// open to the public, and for nothing else.
    /// - Throws: as `authenticate(identity:…)`.
    package func authenticate(
        unproved provider: ProviderID, subject: String, email: String, displayName: String?, client: Client, caller: Caller
    ) async throws(IdentityError) -> AuthenticationResult {
        let (name, address) = try Self.checked(displayName, email)
        guard (1...ExternalIdentity.maximumSubjectLength).contains(subject.utf8.count), !subject.utf8.contains(0) else {
            throw .invalidProviderToken
        }
        let presented = PresentedIdentity(
            provider: provider, subject: subject, audience: "", email: address, emailStanding: .unverified, toldName: name)
        return try await limiter.limiting(.providerToken(caller), caller) { () throws(IdentityError) in
            try await authenticate(presented, client, caller)
        }
    }

    private func authenticate(
        _ presented: PresentedIdentity, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> AuthenticationResult {
        do throws(IdentityError) {
            guard client.maySignUsersIn else { throw .clientNotPermitted }
            let (user, outcome) = try await admit(presented, client, caller)
            return .complete(Self.authentication(of: user, presented, at: system.now(), .provider(presented.provider, outcome)))
        } catch {
            metrics.count(error.isOurs ? IdentityMetrics.ProviderSignIn.unavailable : .refused)
            throw error
        }
    }

    private static func authentication(
        of user: User, _ presented: PresentedIdentity, at time: Timestamp, _ occasion: Authentication.Occasion
    ) -> Authentication {
        Authentication(of: user, by: [.provider], provider: presented.provider, at: time, occasion: occasion)
    }

    /// Makes a user with a provider's proof and, if there is one, a password.
    /// - Throws: `IdentityError.emailTaken` also when the identity is somebody's; `invalidInput`, `clientNotPermitted`,
    ///   `tooManyRequests`, `overloaded`, `unavailable`.
    package func signUp(
        with verifiedToken: VerifiedIDToken, password: SecretString?, displayName: String?, claimedEmail: String?, client: Client,
        caller: Caller
    ) async throws(IdentityError) -> Authentication {
        guard client.maySignUsersIn else { throw .clientNotPermitted }
        let presented = try Self.presented(verifiedToken, displayName, claimedEmail)
        guard let address = presented.email else { throw .invalidInput([InputProblem(.email, .missing)]) }
        let chosen = try password.map { text throws(IdentityError) in try Self.chosen(text, for: address) }
        try await takeSignUp(presented, address, client, hashes: chosen != nil, caller)
        try await sessions.checkReadiness()
        var hash: String?
        if let chosen {
            let owner = JobOwner(hashingFor: caller, account: address.normalized, client: client.id)
            hash = try await hasher.hash(chosen, for: owner)
        }
        do throws(IdentityError) {
            let user = try await create(presented, address, passwordHash: hash, client, caller)
            metrics.count(IdentityMetrics.ProviderSignIn.created)
            return Self.authentication(of: user, presented, at: system.now(), .signUp)
        } catch .emailTaken, .identityTaken {
            await note(.signUpRefused, nil, by: .anonymous, client, caller, detail: presented.detail)
            throw .emailTaken
        }
    }

    private static func presented(
        _ verifiedToken: VerifiedIDToken, _ displayName: String?, _ claimedEmail: String?
    ) throws(IdentityError) -> PresentedIdentity {
        let (name, email) = try checked(displayName, verifiedToken.email == nil ? claimedEmail : nil)
        return PresentedIdentity(verifiedToken, toldName: name, claimedEmail: email)
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
