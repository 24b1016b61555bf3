import Text

/// Whose account a provider's proof opens, by numbered rules.
///
/// Rule 1 is in what is asked: an identity is known by provider and subject, and an address never makes one known. The rules decide on what
/// was read; whoever carries a decision out does it on condition that this is still so, and else asks again.
package enum LinkingRule {
    /// A local account, as far as the rules look at it.
    package struct Account: Equatable, Sendable {
        package let id: UserID
        package let isEmailVerified: Bool
        package let isDisabled: Bool

        package init(id: UserID, isEmailVerified: Bool, isDisabled: Bool) {
            self.id = id
            self.isEmailVerified = isEmailVerified
            self.isDisabled = isDisabled
        }

        init(_ user: User) {
            self.init(id: user.id, isEmailVerified: user.emailVerified, isDisabled: user.isDisabled)
        }
    }

    /// What a sign-in with a provider's proof comes to.
    package enum Decision: Equatable, Sendable {
        /// The identity is known, and its user signs in.
        case signIn(UserID)
        /// The identity becomes one more way into this account, and the user is told so by mail.
        case link(UserID)
        /// The account was made by somebody who has never shown to own its address, perhaps to wait for the one who does: everything that
        /// opens it goes, and the identity takes its place.
        case reclaim(UserID)
        /// A new user.
        case create
        case refuse(Refusal)
    }

    /// Why nobody is signed in although the proof holds.
    package enum Refusal: Equatable, Sendable {
        /// The address is somebody's, and the proof is not good enough to say that it is the same person: to sign in as before and
        /// link then.
        case needsLinking
        case disabled
        /// There is no address to make an account with.
        case noEmail
    }

    /// What a sign-in comes to.
    /// - Parameters:
    ///   - known: the account that has the identity.
    ///   - sameEmail: the account that has the claim's e-mail address.
    package static func decision(on presented: PresentedIdentity, known: Account?, sameEmail: Account?) -> Decision {
        // Rule 2, whatever the address is by now.
        if let known { return known.isDisabled ? .refuse(.disabled) : .signIn(known.id) }
        guard presented.email != nil else { return .refuse(.noEmail) }
        // Rule 5.
        guard let sameEmail else { return .create }
        switch presented.emailStanding {
        // Rule 4c, and with it rule 8; rule 6.
        case .unverified, .verified, .relay: return .refuse(.needsLinking)
        // Rules 4a and 4b.
        case .authoritative where sameEmail.isDisabled: return .refuse(.disabled)
        case .authoritative: return sameEmail.isEmailVerified ? .link(sameEmail.id) : .reclaim(sameEmail.id)
        }
    }

    /// Whether something is left to sign in with when a provider's identities go (rule 7).
    /// - Parameter usable: the providers that sign anybody in now.
    package static func mayUnlink(
        _ provider: ProviderID, hasPassword: Bool, identities: [ProviderID], usable: Set<ProviderID>
    ) -> Bool {
        hasPassword || identities.contains { $0 != provider && usable.contains($0) }
    }
}
