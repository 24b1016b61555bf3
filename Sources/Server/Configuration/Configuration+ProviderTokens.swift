package import Identity
package import Text

extension Configuration {
    /// How tokens of providers are got and revoked, and how what they tell us is verified.
    package struct ProviderTokens: Sendable {
        package var appleTeamID: String?
        package var appleKeyID: String?
        package var applePrivateKey: AppleCredentials.PrivateKey?
        package var appleTokenURL = "https://appleid.apple.com/auth/token"
        package var appleRevokeURL = "https://appleid.apple.com/auth/revoke"
        /// As whom codes are exchanged that come without an id token; nil for the first of the client ids.
        package var explicitAppleCodeClientID: String?
        package var appleRedirectURI: String?
        /// Questions to providers that one client address may have under way on a loop.
        package var callsPerAddress = 4
        package var googleTokenURL = "https://oauth2.googleapis.com/token"
        package var googleTokenInfoURL = "https://oauth2.googleapis.com/tokeninfo"
        package var explicitGoogleCodeClientID: String?
        /// Nil where Google's codes are not taken.
        package var googleClientSecret: SecretString?
        package var googleRedirectURI = "postmessage"
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
