import Postgres
import Text

/// What a proof does to an account that is there already: a further way in, or a new owner.
extension Accounts {
    /// Rule 4a. The user is told by mail. Nil when the account has changed meanwhile.
    func link(
        _ claim: PresentedIdentity, to user: User, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> User? {
        let identity = claim.identity(of: user.id, at: system.now())
        guard try await add(identity, to: user, provingOwn: claim.email, caller) else { return nil }
        await note(.identityLinked(.sameEmail), user.id, by: .user(user.id), client, caller, detail: claim.detail)
        return await named(try await users.user(user.id), claim.displayName)
    }

    /// Adds an identity to a user who is as they were read, and tells them so.
    /// - Returns: false when the user has changed.
    /// - Throws: `IdentityError.identityTaken`, or the store's failure.
    func add(
        _ identity: ExternalIdentity, to user: User, provingOwn email: EmailAddress? = nil, _ caller: Caller
    ) async throws(IdentityError) -> Bool {
        let isAdded: Bool
        do throws(IdentityError) {
            isAdded = try await users.pool.transaction { transaction throws(IdentityError) in
                let before = try await AccountState.hold(user.id, in: transaction)
                guard try await identityStore.add(identity, to: user, provingOwn: email, in: transaction) else { return false }
                try await notices.enter(
                    .identityLinked, of: before, detail: identity.provider.text, language: caller.language(),
                    in: transaction)
                return true
            }
        } catch .userNotFound {
            return false
        }
        outbox.ring()
        return isAdded
    }

    /// Rule 4b: takes an account back for whom its address belongs to. Nil when it has changed meanwhile, or is proved already: whoever
    /// was faster finds it so, and ends nothing of what the owner has begun. Nil also when it has released the address: nobody's it is now.
    func reclaim(
        _ user: User, for claim: PresentedIdentity, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> User? {
        let identity = claim.identity(of: user.id, at: system.now())
        let reclaimed: User?
        do throws(IdentityError) {
            reclaimed = try await changes.change(user.id) { held throws(IdentityError) in
                guard held.user.email?.normalized == user.email?.normalized, !held.user.isDisabled else { throw .userNotFound }
                switch try await held.prove(.provider, notices.canBeUndone) {
                case .unchanged, .proved: throw .userNotFound
                case .released: return (nil, .none)
                case .takenBack:
                    try await held.add(identity)
                    return (try await held.changed(), .everything(.accountReclaimed))
                }
            }
        } catch .userNotFound {
            return nil
        }
        guard let reclaimed else {
            await note(.addressReleased, user.id, by: .anonymous, client, caller, detail: claim.detail)
            return nil
        }
        await note(.accountReclaimed, user.id, by: .user(user.id), client, caller, detail: claim.detail)
        await note(.identityLinked(.reclaimed), user.id, by: .user(user.id), client, caller, detail: claim.detail)
        return await named(reclaimed, claim.displayName)
    }

    /// Whoever signs in by a mail to the address of an account: its user, whose alone it is from now on, or a new one to whom the account has
    /// released the address.
    /// - Throws: `IdentityError.invalidCode` when the account has changed since it was read; the stores' failures.
    func owner(of account: User, _ client: Client, _ caller: Caller) async throws(IdentityError) -> User {
        let newID = UserID(at: system.now(), random: system.random(10))
        let (outcome, user) = try await changes.change(account, orThrow: .invalidCode) { held throws(IdentityError) in
            let outcome = try await held.prove(.mailSignIn, notices.canBeUndone)
            switch outcome {
            case .released: return ((outcome, try await held.makeOwner(newID)), .none)
            case .takenBack: return ((outcome, try await held.changed()), .everything(.accountReclaimed))
            case .unchanged, .proved: return ((outcome, try await held.changed()), .none)
            }
        }
        await note(outcome, of: account.id, nowOf: user.id, client, caller)
        return user
    }

    /// Notes whose a mailbox is after its proof, where that has changed.
    func note(
        _ outcome: MailboxProof.Outcome, of account: UserID, nowOf owner: UserID, _ client: Client?, _ caller: Caller
    ) async {
        switch outcome {
        case .takenBack: await note(.accountReclaimed, account, by: .user(owner), client, caller)
        case .released:
            metrics.countSignUp()
            await note(.addressReleased, account, by: .user(owner), client, caller)
            await note(.userSignedUp, owner, by: .user(owner), client, caller)
        case .unchanged, .proved: break
        }
    }

    /// Gives a user who has no name this one. Not worth failing a sign-in for.
    func named(_ user: User, _ name: DisplayName?) async -> User {
        guard user.displayName == nil, let name else { return user }
        let changed = try? await users.updateProfile(
            of: user.id, displayName: .set(name), photoURL: .keep, at: system.now())
        return changed ?? user
    }
}
