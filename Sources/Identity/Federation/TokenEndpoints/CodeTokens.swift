import Text

/// What a token endpoint gives for an authorization code (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3).
struct CodeTokens: Sendable {
    let idToken: SecretString?
    let accessToken: SecretString?
    /// Only if the app asked the user for lasting access.
    let refreshToken: SecretString?

    init(idToken: SecretString?, accessToken: SecretString?, refreshToken: SecretString?) {
        self.idToken = idToken
        self.accessToken = accessToken
        self.refreshToken = refreshToken
    }

    /// Nil for an answer that says nothing of who the user is.
    init?(parsing body: [UInt8]) {
        guard let document = try? JSON.parse(body) else { return nil }
        func secret(_ name: String) -> SecretString? {
            guard let text = document[name]?.stringValue, !text.isEmpty else { return nil }
            return SecretString(text)
        }
        self.init(
            idToken: secret("id_token"), accessToken: secret("access_token"), refreshToken: secret("refresh_token"))
        guard idToken != nil || accessToken != nil else { return nil }
    }
}
