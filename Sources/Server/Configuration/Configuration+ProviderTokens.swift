package import Identity

extension Configuration {
    /// How tokens of providers are got and revoked, and how what they tell us is verified.
    package struct ProviderTokens: Sendable {
        package var appleTeamID: String?
        package var appleKeyID: String?
        package var applePrivateKey: AppleCredentials.PrivateKey?
        package var appleTokenURL = "https://appleid.apple.com/auth/token"
        package var appleRevokeURL = "https://appleid.apple.com/auth/revoke"
        package var googleRevokeURL = "https://oauth2.googleapis.com/revoke"
        /// Of the keys that sign security events; the issuer is `https://accounts.google.com/`, with a slash.
        package var googleEventKeysURL = "https://www.googleapis.com/oauth2/v3/certs"

        package init() {}

        /// Nil unless all three parts are there.
        package var appleCredentials: AppleCredentials? {
            guard let appleTeamID, let appleKeyID, let applePrivateKey else { return nil }
            return AppleCredentials(teamID: appleTeamID, keyID: appleKeyID, key: applePrivateKey)
        }
    }
}
