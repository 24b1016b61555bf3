/// The one rule for every proof that the mailbox of an account's address is somebody's (docs/decisions/0016-user-changes.md).
package enum MailboxProof: Sendable, CaseIterable {
    /// A new password by a code from a mail to the address.
    case passwordReset
    /// A provider that answers for the address.
    case provider
    /// A code from a mail to the new address of somebody who changes it.
    case addressChange
    /// A sign-in by a mail to the address.
    case mailSignIn
    /// A code from the mail that a sign-up sends. It opens nothing: who has signed up and who reads the mail may be two, and only the
    /// first has what opens the account.
    case confirmation
    /// The word of an administrator. It opens nothing either, and says nothing of who has signed up.
    case vouching

    package enum Outcome: Equatable, Sendable {
        /// It was proved before, and all stays.
        case unchanged
        /// It is proved from now on, and all else stays.
        case proved
        /// It is proved from now on, and everything goes that has opened the account before: it may be somebody's who has waited for the
        /// owner of the mailbox.
        case takenBack
    }

    /// What follows.
    /// - Parameter isProved: whether the account's address was proved before.
    package func outcome(isProved: Bool) -> Outcome {
        guard !isProved else { return .unchanged }
        switch self {
        case .passwordReset, .provider, .addressChange, .mailSignIn: return .takenBack
        case .confirmation, .vouching: return .proved
        }
    }
}

extension HeldUser {
    /// Carries the rule out. Where the account is taken back, password, identities (the tokens of their providers are revoked by a
    /// trigger) and consents are gone now, and the caller sets what opens the account from now on and ends `.everything`.
    /// - Throws: the store's failure.
    func prove(_ proof: MailboxProof) async throws(IdentityError) -> MailboxProof.Outcome {
        let outcome = proof.outcome(isProved: user.emailVerified)
        switch outcome {
        // Who sets a new password by mail, or another address, wants others out: a confirmation before had let them stay, and whoever
        // had the password may have allowed something to a client.
        case .unchanged:
            if proof == .passwordReset {
                try await removeEarlierIdentities()
                try await removeConsents()
            }
        case .proved: try await setEmailConfirmed()
        case .takenBack:
            try await setEmailProved()
            try await setPassword(nil)
            try await removeIdentities()
            try await removeConsents()
        }
        return outcome
    }
}
