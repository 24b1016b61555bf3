import JOSE
package import Outbound
package import Text

/// Apple's token and revocation endpoints, as a team with a key of its own may ask them.
package struct AppleTokenService: Sendable {
    private let credentials: AppleCredentials
    private let tokenURL: String
    private let revokeURL: String
    private let https: HTTPSClient
    private let system: SystemContext

    package init(
        credentials: AppleCredentials, tokenURL: String, revokeURL: String, https: HTTPSClient, system: SystemContext
    ) {
        self.credentials = credentials
        self.tokenURL = tokenURL
        self.revokeURL = revokeURL
        self.https = https
        self.system = system
    }

    /// Exchanges an authorization code of the app or Services ID that it was made for. A code is good once and for five minutes.
    /// - Parameter redirectURI: of the authorization request; those of native apps have none.
    func exchange(
        _ code: SecretString, of clientID: String, redirectURI: String? = nil
    ) async throws(ProviderCallFailure) -> AppleTokens {
        var call = try authenticated(tokenURL, clientID)
        call.form.append("grant_type", "authorization_code")
        call.form.append("code", code)
        if let redirectURI { call.form.append("redirect_uri", redirectURI) }
        guard let tokens = AppleTokens(parsing: try await call.send(by: https)) else { throw .malformed }
        return tokens
    }

    /// Revokes a refresh token, or whatever else the hint says (RFC 7009 §2).
    func revoke(_ token: SecretString, of clientID: String, hint: StaticString = "refresh_token")
        async throws(ProviderCallFailure)
    {
        var call = try authenticated(revokeURL, clientID)
        call.form.append("token", token)
        call.form.append("token_type_hint", "\(hint)")
        _ = try await call.send(by: https)
    }

    private func authenticated(_ url: String, _ clientID: String) throws(ProviderCallFailure) -> ProviderCall {
        var call = ProviderCall(url: url)
        do throws(JOSEError) {
            call.form.append("client_id", clientID)
            call.form.append("client_secret", try credentials.clientSecret(for: clientID, at: system.now()))
        } catch {
            throw .notSigned
        }
        return call
    }
}

/// What Apple's token endpoint gives for a code (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3).
package struct AppleTokens: Sendable {
    package let refreshToken: SecretString
    package let idToken: SecretString
    package let accessToken: SecretString?

    /// Nil for an answer without a refresh token or an id token, which leaves nothing to keep.
    package init?(parsing body: [UInt8]) {
        guard let document = try? JSON.parse(body),
            let refreshToken = document["refresh_token"]?.stringValue, !refreshToken.isEmpty,
            let idToken = document["id_token"]?.stringValue
        else { return nil }
        self.refreshToken = SecretString(refreshToken)
        self.idToken = SecretString(idToken)
        accessToken = document["access_token"]?.stringValue.map { SecretString($0) }
    }
}
