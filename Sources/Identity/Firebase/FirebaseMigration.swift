import JOSE
package import Text

/// Takes ID tokens of the Firebase project that the users come from, so that an app changes over without signing anybody in anew.
///
/// Such a token is good once, for a user who was imported with the id that it names (`UserAlias`), and who has not been signed out, or
/// given other ways in, since the sign-in that it tells of. A device that names itself gets its session again, whose answer may have been lost
/// (`ReplayMemory.grace`).
package final class FirebaseMigration: Sendable {
    /// Under which name the project's keys are looked up. No provider of an operator's can be called so.
    package static let keysID = ProviderID(checked: "firebase:migration")
    /// Where Google publishes the keys of all projects.
    package static let standardKeySetURL =
        "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"

    private let issuer: IdentityProvider
    private let keys: Federation.KeyLookup
    private let used: MigratedTokens
    private let accounts: Accounts
    private let aliases: UserAliases

    /// - Parameters:
    ///   - project: the old one.
    ///   - keySetURL: where its keys are, which `keys` asks for under `keysID`.
    package init(project: String, keySetURL: String, keys: @escaping Federation.KeyLookup, accounts: Accounts) {
        issuer = IdentityProvider(
            id: Self.keysID, issuers: ["https://securetoken.google.com/\(project)"], keySetURL: keySetURL, clientIDs: [project])
        self.keys = keys
        self.accounts = accounts
        used = MigratedTokens(redis: accounts.sessions.store.redis, clock: accounts.system.scriptClock)
        aliases = UserAliases(pool: accounts.users.pool)
    }

    /// A token that has been used up, and for whom.
    package struct Admission: Sendable {
        package let authentication: Authentication
        /// What the token has led to already, if it is the same device that repeats itself.
        package let begun: SessionID?
        fileprivate let verifiedToken: VerifiedIDToken
        fileprivate let mark: MigratedTokens.Mark?
    }

    /// Uses a token up.
    /// - Throws: `IdentityError.invalidProviderToken`, the reason of which is in the audit log; `userNotFound` for one of a user who was not
    ///   imported; `clientNotPermitted`, `tooManyRequests`; `unavailable` also while it may be the same device's first request that is under way.
    package func admit(_ token: SecretString, client: Client, caller: Caller) async throws(IdentityError) -> Admission {
        guard client.maySignUsersIn else { throw .clientNotPermitted }
        return try await accounts.limiter.limiting(.providerToken(caller), caller) { () throws(IdentityError) in
            let now = accounts.system.now()
            let verifiedToken: VerifiedIDToken
            switch try await verified(token, at: now) {
            case .success(let verified): verifiedToken = verified
            case .failure(let refusal): throw await refused(refusal, caller)
            }
            guard let since = verifiedToken.authenticatedAt, since <= now.adding(IDTokenCheck.leeway) else {
                throw await refused(.unacceptable(.missingClaim("auth_time")), caller)
            }
            let user = try await user(of: verifiedToken, since: since, client, caller)
            let life = verifiedToken.expiresAt.adding(IDTokenCheck.leeway * 2).duration(since: now)
            let device = MigratedTokens.device(caller, verifiedToken)
            let outcome = try await mapServiceFailures { () throws(ServiceFailure) in
                try await used.use(verifiedToken, on: device, life: life, at: now)
            }
            let authentication = Authentication(of: user, by: [.provider], at: min(since, now), occasion: .continued)
            switch outcome {
            case .first(let mark):
                await accounts.note(.sessionMigrated, user.id, by: .user(user.id), client, caller)
                return Admission(
                    authentication: authentication, begun: nil, verifiedToken: verifiedToken, mark: mark)
            case .again(let use, let age):
                guard let begun = use.session else {
                    if let device, let first = use.device, device != first { throw await refused(.replayed, caller) }
                    // It may be the same device, and nobody knows yet what comes of the token.
                    throw .unavailable(retryAfter: .seconds(1))
                }
                guard let device, device == use.device, age <= ReplayMemory.grace else {
                    throw await refused(.replayed, caller)
                }
                return Admission(
                    authentication: authentication, begun: begun, verifiedToken: verifiedToken, mark: nil)
            }
        }
    }

    /// Notes the session that has begun with a token.
    /// - Returns: false when that is too late: then the session must end.
    /// - Throws: `IdentityError.unavailable`; then it must end, too.
    package func note(_ session: SessionID, of admission: Admission) async throws(IdentityError) -> Bool {
        guard let mark = admission.mark else { return false }
        return try await mapServiceFailures { () throws(ServiceFailure) in
            try await used.note(session, of: mark, admission.verifiedToken, at: accounts.system.now())
        }
    }

    /// Makes a token good again with which no session could begin.
    package func giveBack(_ admission: Admission) async {
        if let mark = admission.mark { await used.giveBack(admission.verifiedToken, mark) }
    }

    private func verified(
        _ token: SecretString, at now: Timestamp
    ) async throws(IdentityError) -> Result<VerifiedIDToken, IDTokenRefusal> {
        let verification: IDTokenVerification
        do throws(IDTokenRefusal) {
            verification = try IDTokenVerification(token, from: issuer)
        } catch {
            return .failure(error)
        }
        let key: JWK
        switch await keys(verification.keyID, Self.keysID) {
        case .key(let found): key = found
        case .unknownKey: return .failure(.unknownKey(keyID: verification.keyID))
        case .unavailable(let delay): throw .unavailable(retryAfter: delay)
        }
        return Result { () throws(IDTokenRefusal) in try verification.verify(with: key, nonce: nil, now: now) }
    }

    private func user(
        of verifiedToken: VerifiedIDToken, since: Timestamp, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> User {
        guard let alias = UserAlias(source: ProjectUser.aliasSource, id: verifiedToken.subject),
            let id = try await aliases.user(alias)
        else { throw .userNotFound }
        let user = try await accounts.user(id)
        // Whatever opens the account may have been changed because somebody else was in it.
        // Both are whole seconds, within which nobody knows what came first.
        let isOver =
            user.tokensValidAfter.map { $0 >= since } ?? false || user.credentialsVersion > 0 && user.updatedAt > since
        guard !user.isDisabled, !isOver else {
            await accounts.note(
                .signInFailed(user.isDisabled ? .disabledUser : .accountChanged), user.id, by: .anonymous, client, caller)
            throw .invalidProviderToken
        }
        return user
    }

    /// Puts a refusal on record.
    private func refused(_ refusal: IDTokenRefusal, _ caller: Caller) async -> IdentityError {
        await accounts.note(
            .providerTokenRefused(refusal), nil, by: .anonymous, nil, caller,
            detail: JSONObject([JSONObject.Member(key: "explanation", value: .string(refusal.explanation))]))
        return .invalidProviderToken
    }
}
