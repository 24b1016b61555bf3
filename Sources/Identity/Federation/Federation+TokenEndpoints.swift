import JOSE
import Logging
package import Text

/// Proofs that a provider has to be asked for: what an access token is, and what an authorization code is worth.
extension Federation {
    /// A proof, and the provider's refresh token that came with it.
    package typealias ExchangedCode = (verifiedToken: VerifiedIDToken, refreshToken: SecretString?)

    /// How long who signs in is told to wait when a provider does not answer.
    private static let pause: Duration = .seconds(5)
    /// Of an authorization code and its verifier, in bytes.
    private static let longestCode = 2048

    /// Whether a provider tells what an access token of its own is.
    package func tellsOfAccessTokens(_ provider: ProviderID) -> Bool {
        provider == .google && endpoints.google != nil
    }

    /// Whether a text can only be meant as an id token: it begins as the header of each does.
    package static func looksLikeIDToken(_ token: SecretString) -> Bool {
        token.revealedText.utf8.starts(with: "ey".utf8)
    }

    /// Proves an access token, by asking the provider whose it is and to which app it was given. It is used up like an id token.
    ///
    /// - Parameter nonce: of the request, if it has one; no access token does.
    /// - Throws: as `verify(_:from:nonce:subject:caller:)`; `unavailable` also when the provider does not answer.
    package func verify(
        accessToken: SecretString, from provider: ProviderID, nonce: SecretString?, caller: Caller
    ) async throws(IdentityError) -> VerifiedIDToken {
        guard let configured = self.provider(provider), let google = endpoints.google, provider == .google else {
            throw .unknownProvider
        }
        return try await deciding(for: provider, caller) { () throws(IdentityError) in
            try await prove(
                accessToken, of: configured, Circumstances(nonce: nonce, isFromPage: caller.isPage), by: google,
                caller)
        }
    }

    /// As whom people are sent to a provider to sign in; nil where what they come back with cannot be exchanged.
    package func codeClientID(at provider: ProviderID) -> String? {
        guard self.provider(provider) != nil else { return nil }
        return endpoints.clientID(at: provider)
    }

    /// Exchanges an authorization code that came without an id token, and proves what the provider gives for it.
    ///
    /// - Parameter verifier: of the code's challenge (RFC 7636), if the app made one.
    /// - Throws: as `verify(_:from:nonce:subject:caller:)`; `unavailable` also when the provider does not answer, or refuses us.
    package func redeem(
        _ code: SecretString, verifier: SecretString?, from provider: ProviderID, nonce: SecretString?,
        redirectURI: String? = nil, caller: Caller
    ) async throws(IdentityError) -> ExchangedCode {
        guard let configured = self.provider(provider) else { throw .unknownProvider }
        return try await deciding(for: provider, caller) { () throws(IdentityError) in
            try await prove(
                code, verifier, redirectURI, of: configured,
                // What the page alone knows ties the code to its browser as well.
                Circumstances(nonce: nonce, isFromPage: caller.isPage && verifier == nil), caller)
        }
    }

    private func prove(
        _ token: SecretString, of provider: IdentityProvider, _ circumstances: Circumstances, by google: GoogleTokenService,
        _ caller: Caller
    ) async throws(IdentityError) -> Result<VerifiedIDToken, IDTokenRefusal> {
        let info: AccessTokenInfo
        switch try await sharing(caller, { () throws(ProviderCallFailure) in try await google.info(of: token) }) {
        case .success(let answer): info = answer
        case .failure(let failure): return .failure(try refusal(failure, of: provider.id))
        }
        let now = system.now()
        let verifiedToken: VerifiedIDToken
        do throws(IDTokenRefusal) {
            verifiedToken = try info.verifiedToken(
                by: token, from: provider, nonce: circumstances.nonce, isFromPage: circumstances.isFromPage, now: now)
        } catch {
            return .failure(error)
        }
        return try await used(verifiedToken, at: now)
    }

    private func prove(
        _ code: SecretString, _ verifier: SecretString?, _ redirectURI: String?, of provider: IdentityProvider,
        _ circumstances: Circumstances,
        _ caller: Caller
    ) async throws(IdentityError) -> Result<ExchangedCode, IDTokenRefusal> {
        guard (1...Self.longestCode).contains(code.byteCount), verifier?.byteCount ?? 0 <= Self.longestCode else {
            return .failure(.refusedByProvider(.invalidGrant))
        }
        let tokens: CodeTokens
        let exchange = try await sharing(caller) { () throws(ProviderCallFailure) in
            try await endpoints.exchange(code, of: provider.id, verifier: verifier, redirectURI: redirectURI)
        }
        switch exchange {
        case .success(nil): return .failure(.codesNotExchanged)
        case .success(let given?): tokens = given
        case .failure(let failure): return .failure(try refusal(failure, of: provider.id))
        }
        let outcome: Result<VerifiedIDToken, IDTokenRefusal>
        if let idToken = tokens.idToken {
            var circumstances = circumstances
            circumstances.accessToken = tokens.accessToken
            circumstances.code = code
            outcome = try await prove(idToken, from: provider, circumstances)
        } else if let accessToken = tokens.accessToken, let google = endpoints.google, provider.id == .google {
            outcome = try await prove(accessToken, of: provider, circumstances, by: google, caller)
        } else {
            outcome = .failure(.unacceptable(.missingClaim("id_token")))
        }
        return outcome.map { ($0, tokens.refreshToken) }
    }

    /// What the provider refuses proves nothing. Everything else says nothing of who asks, and is for the operator to know.
    /// - Throws: `IdentityError.unavailable`.
    private func refusal(_ failure: ProviderCallFailure, of provider: ProviderID) throws(IdentityError) -> IDTokenRefusal {
        switch failure {
        case .refused(.invalidClient), .unreachable, .unexpectedStatus, .malformed, .notSigned:
            endpoints.logger.warning(
                "a provider could not be asked who signs in",
                ["provider": .string(provider.text), "reason": .string(failure.description)])
            throw .unavailable(retryAfter: Self.pause)
        case .refused(let code): return .refusedByProvider(code)
        }
    }
}
