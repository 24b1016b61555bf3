package import Text

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
