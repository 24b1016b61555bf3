import Crypto
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
    private let memory: OnceMemory
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
        memory = OnceMemory(redis: accounts.sessions.store.redis)
        aliases = UserAliases(pool: accounts.users.pool)
    }

    /// A token that has been used up, and for whom.
    package struct Admission: Sendable {
        package let authentication: Authentication
        /// What the token has led to already, if it is the same device that repeats itself.
        package let begun: SessionID?
        fileprivate let name: String
        fileprivate let use: Use
    }

    /// The first use of a token.
    fileprivate struct Use {
        let time: Timestamp
        /// A hash, of the token too; nil for a device that does not name itself, which nothing tells from others.
        let device: String?
        var session: SessionID?

        init(of name: String, at time: Timestamp, _ caller: Caller) {
            self.time = time
            device = caller.deviceID.map { SHA256.hash("\(name)\0\($0.text)").hex }
        }

        init?(stored text: String) {
            let parts = text.split(separator: " ")
            guard (2...3).contains(parts.count), let time = Int64(parts[0]) else { return nil }
            (self.time, device) = (Timestamp(milliseconds: time), parts[1] == "-" ? nil : String(parts[1]))
            session = parts.count == 3 ? SessionID(parts[2]) : nil
        }

        var stored: String { "\(time.milliseconds) \(device ?? "-")" + (session.map { " \($0.text)" } ?? "") }
    }

    /// Uses a token up.
    /// - Throws: `IdentityError.invalidProviderToken`, the reason of which is in the audit log; `userNotFound` for one of a user who was not
    ///   imported; `clientNotPermitted`, `tooManyRequests`; `unavailable` also while the same device's first request is under way.
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
            let name = "firebase-migration:\(verifiedToken.digest.hex)"
            let life = verifiedToken.expiresAt.adding(IDTokenCheck.leeway * 2).duration(since: now)
            let use = Use(of: name, at: now, caller)
            let earlier = try await mapServiceFailures { () throws(ServiceFailure) in
                try await memory.use(name, noting: use.stored, life: life)
            }
            let authentication = Authentication(of: user, by: [.provider], at: min(since, now), occasion: .continued)
            if let earlier {
                guard let first = Use(stored: earlier), let device = use.device, device == first.device,
                    now.duration(since: first.time) <= ReplayMemory.grace
                else { throw await refused(.replayed, caller) }
                guard let begun = first.session else { throw .unavailable(retryAfter: .seconds(1)) }
                return Admission(authentication: authentication, begun: begun, name: name, use: first)
            }
            await accounts.note(.sessionMigrated, user.id, by: .user(user.id), client, caller)
            return Admission(authentication: authentication, begun: nil, name: name, use: use)
        }
    }

    /// Notes the session that has begun with a token.
    package func note(_ session: SessionID, of admission: Admission) async {
        var use = admission.use
        use.session = session
        await memory.note(use.stored, of: admission.name)
    }

    /// Makes a token good again with which no session could begin.
    package func giveBack(_ admission: Admission) async {
        await memory.giveBack(admission.name)
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
