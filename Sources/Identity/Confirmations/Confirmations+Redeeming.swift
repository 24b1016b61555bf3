package import Text

extension Confirmations {
    /// The user for whom a code is good, without using it up.
    /// - Throws: `IdentityError.invalidCode`, also when the user is gone, barred or has other credentials by now; `unavailable`.
    package func user(
        ofCode text: SecretString, for purpose: OneTimeCode.Purpose
    ) async throws(IdentityError) -> User {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        return try await holder(of: try await codes.look(code, for: purpose))
    }

    /// Sets a new password by a code, which is then gone, and ends all sessions of its user.
    /// - Throws: `IdentityError.invalidCode`; `invalidInput`, and the code stays good; `overloaded`, `unavailable`.
    package func resetPassword(
        code text: SecretString, to password: SecretString, caller: Caller
    ) async throws(IdentityError) {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        let user = try await holder(of: try await codes.look(code, for: .resetPassword))
        let hash = try await accounts.hash(ofNew: password, for: user)
        // From here on there is no way back, so whoever comes at the same time finds nothing.
        let grant = try await codes.take(code, for: .resetPassword)
        guard grant.userID == user.id, grant.credentialsVersion == user.credentialsVersion else { throw .invalidCode }
        try await users.replacePassword(of: user.id, hash: hash, at: ambience.now())
        try await accounts.sessions.endAll(of: user.id, reason: .passwordChanged)
        await accounts.note(.passwordReset, user.id, by: .user(user.id), nil, caller)
    }

    /// Notes that the address a code was sent to is its user's. The code stays good until it expires, because a mail may be opened
    /// twice: all it can do is say the same again.
    /// - Throws: `IdentityError.invalidCode`, `unavailable`.
    package func verifyEmail(code text: SecretString, caller: Caller) async throws(IdentityError) {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        let grant = try await codes.look(code, for: .verifyEmail)
        guard try await users.verifyEmail(of: grant.userID, grant.email, at: ambience.now()) else { throw .invalidCode }
        await accounts.note(.emailVerified, grant.userID, by: .user(grant.userID), nil, caller)
    }

    private func holder(of grant: OneTimeCode.Grant) async throws(IdentityError) -> User {
        do throws(IdentityError) {
            let user = try await users.user(grant.userID)
            guard !user.isDisabled, user.credentialsVersion == grant.credentialsVersion,
                user.email.normalized == grant.email
            else { throw IdentityError.invalidCode }
            return user
        } catch {
            throw error == .userNotFound ? .invalidCode : error
        }
    }
}
