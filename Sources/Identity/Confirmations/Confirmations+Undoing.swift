package import Text

/// Undoing a change of the ways into an account, by the link of the mail that told of it.
extension Confirmations {
    /// What undoing has come to.
    package enum Undoing: Sendable {
        /// With a code to set a new password; nil where none can be set now.
        case undone(resetCode: SecretString?)
        case alreadyUndone
        /// Everything is undone, but another account has proved the address: this one only claims it, and is open to its identities alone.
        case addressElsewhere
    }

    /// The change that a code undoes; nothing is done about it.
    /// - Throws: `IdentityError.invalidCode`, `tooManyRequests`, `unavailable`.
    package func change(ofCode text: SecretString, caller: Caller) async throws(IdentityError) -> AccountChange {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        return try await accounts.limiter.limiting(.code(account: nil, caller), caller) { () throws(IdentityError) in
            guard let change = try await accounts.undoing.change(code) else { throw IdentityError.invalidCode }
            return change
        }
    }

    /// Puts the ways into an account back to what they were before the change of a code, and ends all sessions. The user may set a new
    /// password then, because the code has proved the mailbox.
    /// - Throws: `IdentityError.invalidCode`, `tooManyRequests`, `unavailable`.
    package func undo(code text: SecretString, caller: Caller) async throws(IdentityError) -> Undoing {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        let outcome = try await accounts.limiter.limiting(.code(account: nil, caller), caller) {
            () throws(IdentityError) in
            try await accounts.undoing.undo(code, language: caller.language())
        }
        guard case .undone(let restored) = outcome else { return .alreadyUndone }
        outbox.ring()
        let user = restored.user
        if restored.replaced != nil { try? await accounts.limiter.forget(user.account) }
        await accounts.note(.changesUndone, user.id, by: .user(user.id), nil, caller)
        guard !restored.isClaimed else { return .addressElsewhere }
        return .undone(resetCode: try? await resetCode(for: user))
    }

    /// A code to set a password by, for who has just proved the mailbox.
    func resetCode(for user: User) async throws(IdentityError) -> SecretString {
        let code = OneTimeCode(random: system.random(OneTimeCode.randomByteCount))
        let grant = OneTimeCode.Grant(
            purpose: .resetPassword, userID: user.id, email: user.email?.normalized ?? "",
            credentialsVersion: user.credentialsVersion)
        try await codes.issue(code, grant, life: lifetimes.passwordReset, system)
        return code.text
    }
}
