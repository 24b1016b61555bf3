import Postgres

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
        /// The account stays with its other owner, who would come back and take along what others had put into it. This address is only
        /// claimed from now on, and who has proved it gets an account of their own.
        case released
    }

    /// What follows.
    /// - Parameters:
    ///   - isProved: whether the account's address was proved before.
    ///   - hasOtherOwner: whether there is somebody whose the account is without this address: who had proved an earlier one and can go back
    ///     to it, or whom a server of the team's signs in by its word (custom tokens of Firebase).
    package func outcome(isProved: Bool, hasOtherOwner: Bool) -> Outcome {
        guard !isProved else { return .unchanged }
        switch self {
        case .passwordReset, .provider, .mailSignIn: return hasOtherOwner ? .released : .takenBack
        // Whoever is signed in asked for it.
        case .addressChange: return .takenBack
        case .confirmation, .vouching: return .proved
        }
    }
}

extension HeldUser {
    /// Carries the rule out. Where the account is taken back, password, identities (the tokens of their providers are revoked by a
    /// trigger) and consents are gone now, and the caller sets what opens the account from now on and ends `.everything`.
    /// - Parameter canBeUndone: whether somebody who had proved another address can put the account back to what it was then.
    /// - Throws: the store's failure.
    func prove(
        _ proof: MailboxProof, _ canBeUndone: (HeldUser) async throws(IdentityError) -> Bool
    ) async throws(IdentityError) -> MailboxProof.Outcome {
        let outcome =
            if user.emailVerified {
                proof.outcome(isProved: true, hasOtherOwner: false)
            } else {
                proof.outcome(isProved: false, hasOtherOwner: try await isVouchedFor() ? true : canBeUndone(self))
            }
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
        case .released: try await run(HeldUserQueries.releaseAddress, [.uuid(user.id.description)])
        }
        return outcome
    }

    /// Makes the account of whoever has proved the address that this one has released.
    /// - Throws: `IdentityError.invalidCode` when somebody else has the address by now; the store's failure.
    func makeOwner(_ id: UserID, passwordHash: String? = nil) async throws(IdentityError) -> User {
        let owner = User(id: id, email: user.email, emailVerified: true, createdAt: now, updatedAt: now)
        do throws(IdentityError) {
            return try await mapTakenValues { () throws(PostgresError) in
                try await UserStore.one(
                    transaction.query(UserQueries.insert, UserStore.parameters(of: owner, passwordHash: passwordHash)))
            }
        } catch {
            throw error == .emailTaken ? .invalidCode : error
        }
    }
}
