import Crypto
import JOSE
package import Logging
package import Networking
package import Text

/// Exchanges the authorization codes that come along with sign-ins for Apple's refresh tokens, and stores those: without one, nothing
/// could be revoked when the user goes.
///
/// Behind the back of who signs in, because Apple may be slow or away; a code that cannot be exchanged now is lost, and the sign-in
/// stands.
package actor AuthorizationCodes {
    /// How many may be under way; more are dropped, which the audit log says.
    static let limit = 64

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let apple: AppleTokenService?
    /// The `iss` that Apple's id tokens may have.
    private var issuers: [String]
    private let keys: Federation.KeyLookup
    private let store: ProviderTokenStore
    private let audit: AuditLog
    private let metrics: IdentityMetrics
    private let system: SystemContext
    private let logger: Logger
    private var underWay = 0

    /// - Parameter apple: nil while there is no key to ask Apple with; codes are then ignored.
    package init(
        apple: AppleTokenService?, issuers: [String], keys: @escaping Federation.KeyLookup, store: ProviderTokenStore,
        audit: AuditLog,
        metrics: IdentityMetrics, system: SystemContext, loop: EventLoop, logger: Logger
    ) {
        self.apple = apple
        self.issuers = issuers
        self.keys = keys
        self.store = store
        self.audit = audit
        self.metrics = metrics
        self.system = system
        self.loop = loop
        self.logger = logger
    }

    /// Replaces the `iss` that Apple's id tokens may have.
    package func use(issuers: [String]) {
        self.issuers = issuers
    }

    /// Whether a code came with an id token: its hash is what the token says, if it says one (OpenID Connect Core §3.3.2.10).
    static func belongs(_ code: SecretString, to verifiedToken: VerifiedIDToken) -> Bool {
        verifiedToken.codeHash.map { TokenHash.matches($0, code) } ?? true
    }

    /// Refuses a code that did not come with the id token it is sent with.
    /// - Throws: `IdentityError.invalidProviderToken`.
    package func check(_ code: SecretString, of verifiedToken: VerifiedIDToken, caller: Caller) async throws(IdentityError) {
        guard !Self.belongs(code, to: verifiedToken) else { return }
        metrics.countProviderTokens { $0.count(.failed) }
        await note(.codeExchangeFailed(.wrongHash), ProviderTokenOwner(verifiedToken), nil, caller)
        throw .invalidProviderToken
    }

    /// Takes a code whose id token has signed a user in. Returns at once; codes of other providers are ignored.
    package func take(_ code: SecretString, of verifiedToken: VerifiedIDToken, userID: UserID, caller: Caller) async {
        guard let apple, verifiedToken.provider == .apple, !code.isEmpty else { return }
        let owner = ProviderTokenOwner(verifiedToken)
        guard underWay < Self.limit else {
            metrics.countProviderTokens { $0.count(.failed) }
            return await note(.codeExchangeFailed(.overloaded), owner, userID, caller)
        }
        underWay += 1
        loop.start {
            await self.exchange(code, for: owner, userID, by: apple, caller)
            await self.finished()
        }
    }

    /// Stores the refresh token of a code that has itself signed a user in. One that cannot be stored is lost, and the sign-in stands.
    package func keep(_ refreshToken: SecretString, of verifiedToken: VerifiedIDToken, userID: UserID, caller: Caller) async {
        let owner = ProviderTokenOwner(verifiedToken)
        do throws(CodeExchangeFailure) {
            try await keep(refreshToken, of: owner)
            metrics.countProviderTokens { $0.count(.succeeded) }
            await note(.codeExchanged, owner, userID, caller)
        } catch {
            metrics.countProviderTokens { $0.count(.failed) }
            await note(.codeExchangeFailed(error.reason), owner, userID, caller)
        }
    }

    /// What an app wants Apple to revoke.
    package enum Revocable: Sendable {
        /// What an authorization code is worth.
        case code
        case refreshToken
        case accessToken
    }

    /// Has Apple revoke what an app got for a user.
    /// - Throws: `IdentityError.unknownProvider` while there is no key to ask Apple with; `invalidProviderToken` for what Apple does not take, or
    ///   what is another user's; `overloaded`, `unavailable`.
    package func revoke(_ text: SecretString, _ kind: Revocable, of owner: ProviderTokenOwner) async throws(IdentityError) {
        guard let apple else { throw .unknownProvider }
        guard underWay < Self.limit else { throw .overloaded(retryAfter: .seconds(1)) }
        underWay += 1
        defer { underWay -= 1 }
        do throws(CodeExchangeFailure) {
            var token = text
            if kind == .code {
                let tokens = try await obtain(text, owner, by: apple)
                try await check(tokens, for: owner)
                token = tokens.refreshToken
            }
            try await revoke(token, owner, hint: kind == .accessToken ? "access_token" : "refresh_token", by: apple)
        } catch {
            switch error {
            case .call(.refused(.invalidGrant)), .call(.refused(.invalidToken)), .call(.refused(.invalidRequest)), .idToken:
                throw .invalidProviderToken
            case .call, .userGone, .store:
                logger.warning(
                    "a token was not revoked",
                    ["provider": .string(owner.provider.text), "reason": .string(error.description)])
                throw .unavailable(retryAfter: .seconds(5))
            }
        }
    }

    private func revoke(
        _ token: SecretString, _ owner: ProviderTokenOwner, hint: StaticString, by apple: AppleTokenService
    ) async throws(CodeExchangeFailure) {
        do throws(ProviderCallFailure) {
            try await apple.revoke(token, of: owner.clientID, hint: hint)
        } catch {
            throw .call(error)
        }
    }

    /// Waits for what is under way; each call ends within seconds.
    package func close() async {
        while underWay > 0 { await loop.sleep(for: .milliseconds(10)) }
    }

    private func finished() {
        underWay -= 1
    }

    private func exchange(
        _ code: SecretString, for owner: ProviderTokenOwner, _ userID: UserID, by apple: AppleTokenService, _ caller: Caller
    ) async {
        do throws(CodeExchangeFailure) {
            let tokens = try await obtain(code, owner, by: apple)
            try await check(tokens, for: owner)
            try await keep(tokens.refreshToken, of: owner)
            metrics.countProviderTokens { $0.count(.succeeded) }
            await note(.codeExchanged, owner, userID, caller)
        } catch {
            metrics.countProviderTokens { $0.count(.failed) }
            logger.warning(
                "an authorization code was not exchanged",
                ["provider": .string(owner.provider.text), "reason": .string(error.description)])
            await note(.codeExchangeFailed(error.reason), owner, userID, caller)
        }
    }

    private func obtain(
        _ code: SecretString, _ owner: ProviderTokenOwner, by apple: AppleTokenService
    ) async throws(CodeExchangeFailure) -> AppleTokens {
        do throws(ProviderCallFailure) {
            return try await apple.exchange(code, of: owner.clientID)
        } catch {
            throw .call(error)
        }
    }

    /// The id token that came for the code must be of the same person and the same app.
    private func check(_ tokens: AppleTokens, for owner: ProviderTokenOwner) async throws(CodeExchangeFailure) {
        do throws(JOSEError) {
            let token = try UnverifiedJWS.parse(tokens.idToken.revealedText)
            guard let keyID = token.header.keyID else { throw JOSEError.missingKeyID }
            guard case .key(let key) = await keys(keyID, owner.provider) else { throw JOSEError.unknownKey }
            let claims = try token.verify(with: key, allowing: [.rs256]).claims()
            guard let issuer = claims.issuer, issuers.contains(issuer) else { throw JOSEError.invalidClaim("iss") }
            guard claims.audience.contains(owner.clientID) else { throw JOSEError.invalidClaim("aud") }
            guard claims.subject == owner.subject else { throw JOSEError.invalidClaim("sub") }
            if let hash = try claims.string("at_hash"), let accessToken = tokens.accessToken,
                !TokenHash.matches(hash, accessToken)
            {
                throw JOSEError.invalidClaim("at_hash")
            }
        } catch {
            throw .idToken(error)
        }
    }

    private func keep(_ token: SecretString, of owner: ProviderTokenOwner) async throws(CodeExchangeFailure) {
        let isKept: Bool
        do throws(ServiceFailure) {
            isKept = try await store.keep(token, of: owner, at: system.statementTime)
        } catch {
            throw .store
        }
        guard isKept else { throw .userGone }
    }

    private func note(_ event: ProviderAudit, _ owner: ProviderTokenOwner, _ userID: UserID?, _ caller: Caller) async {
        var detail = JSONObject()
        detail["provider"] = .string(owner.provider.text)
        detail["provider_client_id"] = .string(owner.clientID)
        await audit.record(
            AuditEvent(
                id: system.uuid(), time: system.now(), kind: .provider(event), actor: .system, userID: userID,
                address: caller.address, referenceID: caller.referenceID, detail: detail))
    }
}
