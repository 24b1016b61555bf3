import JOSE
package import Text

/// Proofs of who somebody is from other identity providers: one for each loop.
package final class Federation: Sendable {
    /// How a provider's keys are asked for: never a fetch of its own for each token.
    package typealias KeyLookup = @Sendable (_ keyID: String, _ provider: ProviderID) async -> KeySetLookup

    /// Those that are switched on.
    package var providers: [IdentityProvider] { slot.value }
    private let slot: LoopSlot<[IdentityProvider]>
    private let keys: KeyLookup
    let replays: ReplayMemory
    let endpoints: TokenEndpoints
    private let shares: LoopSlot<CallShares>
    private let limiter: Limiter
    private let audit: AuditLog
    private let metrics: IdentityMetrics
    let system: SystemContext

    package init(
        providers: [IdentityProvider], keys: @escaping KeyLookup, replays: ReplayMemory, limiter: Limiter,
        audit: AuditLog, metrics: IdentityMetrics, system: SystemContext, endpoints: TokenEndpoints = .none
    ) {
        slot = LoopSlot(providers)
        self.keys = keys
        self.replays = replays
        self.limiter = limiter
        self.audit = audit
        self.metrics = metrics
        self.system = system
        self.endpoints = endpoints
        shares = LoopSlot(CallShares(limit: endpoints.callsPerAddress))
    }

    /// Replaces the providers; on its own loop.
    package func use(_ providers: [IdentityProvider]) {
        slot.value = providers
    }

    /// The configured provider of that name.
    package func provider(_ id: ProviderID) -> IdentityProvider? {
        providers.first { $0.id == id }
    }

    /// Proves an id token and uses it up: it is good for one sign-in, and for a repetition within 30 s whose answer was lost.
    ///
    /// - Parameters:
    ///   - nonce: what the app gave the provider, as the request has it.
    ///   - subject: whom the request says the token is of, if it does.
    ///   - accessToken: the provider's, if one came along: it must be the one that the token was issued with.
    /// - Throws: `invalidProviderToken`, the reason of which is in the audit log under the caller's reference id; `unknownProvider`; and when
    ///   nothing could be decided, because the provider's keys or Redis cannot be had, `unavailable`. `tooManyRequests` when the caller
    ///   has shown too many that prove nothing.
    package func verify(
        _ token: SecretString, from provider: ProviderID, nonce: SecretString?, subject: String? = nil,
        accessToken: SecretString? = nil, caller: Caller
    ) async throws(IdentityError) -> VerifiedIDToken {
        guard let configured = self.provider(provider) else { throw .unknownProvider }
        return try await deciding(for: provider, caller) { () throws(IdentityError) in
            try await prove(
                token, from: configured,
                Circumstances(nonce: nonce, subject: subject, accessToken: accessToken, isFromPage: caller.isPage))
        }
    }

    /// Makes a token good again that has led to nothing, such as one for an account that has to be linked first: if this was its first use, and
    /// nobody has used it since.
    package func giveBack(_ verifiedToken: VerifiedIDToken) async throws(IdentityError) {
        guard let mark = verifiedToken.replayMark else { return }
        try await mapServiceFailures { () throws(ServiceFailure) in try await replays.forget(verifiedToken, by: mark) }
    }

    /// What came along with a token.
    struct Circumstances: Sendable {
        let nonce: SecretString?
        var subject: String?
        var accessToken: SecretString?
        /// The authorization code that the token was given for.
        var code: SecretString?
        let isFromPage: Bool

        /// Clients of rest-auth send an id token as access token too.
        func refusal(of verifiedToken: VerifiedIDToken, _ token: SecretString) -> IDTokenRefusal? {
            if let subject, !subject.utf8.elementsEqual(verifiedToken.subject.utf8) { return .otherSubject }
            if let accessToken, let hash = verifiedToken.accessTokenHash, accessToken.revealedText != token.revealedText,
                !TokenHash.matches(hash, accessToken)
            {
                return .otherAccessToken
            }
            if let code, !AuthorizationCodes.belongs(code, to: verifiedToken) { return .otherCode }
            return nil
        }
    }

    /// Asks a provider something on behalf of a caller, who may have so many questions under way.
    /// - Throws: `IdentityError.overloaded` beyond that.
    func sharing<T>(
        _ caller: Caller, _ ask: () async throws(ProviderCallFailure) -> T
    ) async throws(IdentityError) -> Result<T, ProviderCallFailure> {
        let client = ClientNetwork(caller.address).text
        guard shares.value.begin(client) else { throw .overloaded(retryAfter: .seconds(1)) }
        defer { shares.value.end(client) }
        do throws(ProviderCallFailure) {
            return .success(try await ask())
        } catch {
            return .failure(error)
        }
    }

    /// Holds a caller back who proves nothing, counts what came out, and puts a refusal on record.
    func deciding<Proof>(
        for provider: ProviderID, _ caller: Caller,
        _ prove: () async throws(IdentityError) -> Result<Proof, IDTokenRefusal>
    ) async throws(IdentityError) -> Proof {
        try await limiter.limiting(.providerToken(caller), caller) { () throws(IdentityError) in
            try await counting(for: provider, caller, prove)
        }
    }

    private func counting<Proof>(
        for provider: ProviderID, _ caller: Caller,
        _ prove: () async throws(IdentityError) -> Result<Proof, IDTokenRefusal>
    ) async throws(IdentityError) -> Proof {
        let outcome: Result<Proof, IDTokenRefusal>
        do throws(IdentityError) {
            outcome = try await prove()
        } catch {
            metrics.countIDToken(.unavailable, of: provider)
            throw error
        }
        switch outcome {
        case .success(let verifiedToken):
            metrics.countIDToken(.verified, of: provider)
            return verifiedToken
        case .failure(let refusal):
            metrics.countIDToken(.refused, of: provider)
            await record(refusal, of: provider, caller)
            throw .invalidProviderToken
        }
    }

    /// A refusal is a result here; what is thrown decides nothing.
    func prove(
        _ token: SecretString, from provider: IdentityProvider, _ circumstances: Circumstances
    ) async throws(IdentityError) -> Result<VerifiedIDToken, IDTokenRefusal> {
        let verification: IDTokenVerification
        do throws(IDTokenRefusal) {
            verification = try IDTokenVerification(token, from: provider)
        } catch {
            return .failure(error)
        }
        let key: JWK
        switch await keys(verification.keyID, provider.id) {
        case .key(let found): key = found
        case .unknownKey: return .failure(.unknownKey(keyID: verification.keyID))
        case .unavailable(let delay): throw .unavailable(retryAfter: delay)
        }
        let now = system.now()
        let verifiedToken: VerifiedIDToken
        do throws(IDTokenRefusal) {
            verifiedToken = try verification.verify(
                with: key, nonce: circumstances.nonce, isFromPage: circumstances.isFromPage, now: now)
        } catch {
            return .failure(error)
        }
        if let refusal = circumstances.refusal(of: verifiedToken, token) { return .failure(refusal) }
        return try await used(verifiedToken, at: now)
    }

    /// Uses a proof up.
    func used(_ verifiedToken: VerifiedIDToken, at now: Timestamp) async throws(IdentityError) -> Result<
        VerifiedIDToken, IDTokenRefusal
    > {
        let mark = ReplayMark(random: system.random(ReplayMark.randomByteCount))
        var verifiedToken = verifiedToken
        let admission = try await mapServiceFailures { () throws(ServiceFailure) in
            try await replays.admit(verifiedToken, by: mark, at: now)
        }
        switch admission {
        case .first: verifiedToken.replayMark = mark
        case .again: break
        case .refused: return .failure(.replayed)
        }
        return .success(verifiedToken)
    }

    private func record(_ refusal: IDTokenRefusal, of provider: ProviderID, _ caller: Caller) async {
        var detail = JSONObject()
        detail["provider"] = .string(provider.text)
        detail["explanation"] = .string(refusal.explanation)
        await audit.record(
            AuditEvent(
                id: system.uuid(), time: system.now(), kind: .providerTokenRefused(refusal), actor: .anonymous,
                address: caller.address, referenceID: caller.referenceID, detail: detail))
    }
}
