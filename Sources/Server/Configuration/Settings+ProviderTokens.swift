import Identity

extension Settings {
    static let providerTokens = Section(
        title: "Tokens and notices of providers",
        settings: [
            Setting(
                "KIDOBAN_APPLE_TEAM_ID", optional: \.providerTokens.appleTeamID, .appleIdentifier,
                fallback: .nothing("none; Apple's authorization codes are then ignored"),
                "The team in Apple's developer portal. With the next two it lets authorization codes be exchanged for Apple's refresh "
                    + "tokens, which are revoked when an account is deleted; all three or none."),
            Setting(
                "KIDOBAN_APPLE_KEY_ID", optional: \.providerTokens.appleKeyID, .appleIdentifier, fallback: .nothing("none"),
                "The name of the team's key for Sign in with Apple."),
            Setting(
                "KIDOBAN_APPLE_PRIVATE_KEY", optional: \.providerTokens.applePrivateKey, .applePrivateKey,
                fallback: .nothing("none"), "That key: what is in the `.p8` file."),
            Setting(
                "KIDOBAN_APPLE_TOKEN_URL", \.providerTokens.appleTokenURL, .keySetURL,
                "Where Apple's authorization codes are exchanged."),
            Setting(
                "KIDOBAN_APPLE_REVOKE_URL", \.providerTokens.appleRevokeURL, .keySetURL, "Where Apple's tokens are revoked."),
            Setting(
                "KIDOBAN_APPLE_CODE_CLIENT_ID", optional: \.providerTokens.explicitAppleCodeClientID, .clientID,
                fallback: .derived("the first of `KIDOBAN_APPLE_CLIENT_IDS`", { $0.federation.apple.clientIDs.first ?? "" }),
                "The app or Services ID whose authorization codes the rest-auth API takes alone, without an id token."),
            Setting(
                "KIDOBAN_APPLE_REDIRECT_URI", optional: \.providerTokens.appleRedirectURI, .redirectURI,
                fallback: .nothing("none, as for the codes of native apps"),
                "The redirect URI with which those codes were asked for."),
            Setting(
                "KIDOBAN_GOOGLE_CLIENT_SECRET", optional: \.providerTokens.googleClientSecret, .clientSecret,
                fallback: .nothing("none; Google's authorization codes are then refused"),
                "With it the rest-auth API exchanges Google's authorization codes."),
            Setting(
                "KIDOBAN_GOOGLE_CODE_CLIENT_ID", optional: \.providerTokens.explicitGoogleCodeClientID, .clientID,
                fallback: .derived("the first of `KIDOBAN_GOOGLE_CLIENT_IDS`", { $0.federation.google.clientIDs.first ?? "" }),
                "The client that it is the secret of, and that the codes are made for."),
            Setting(
                "KIDOBAN_GOOGLE_REDIRECT_URI", \.providerTokens.googleRedirectURI, .redirectURI,
                "The redirect URI with which the codes were asked for; `postmessage` for those of Google's own scripts and of apps."
            ),
            Setting(
                "KIDOBAN_GOOGLE_TOKEN_URL", \.providerTokens.googleTokenURL, .keySetURL,
                "Where Google's authorization codes are exchanged."),
            Setting(
                "KIDOBAN_GOOGLE_TOKENINFO_URL", \.providerTokens.googleTokenInfoURL, .keySetURL,
                "Where Google tells what an access token is."),
            Setting(
                "KIDOBAN_GOOGLE_REVOKE_URL", \.providerTokens.googleRevokeURL, .keySetURL,
                "Where Google's tokens are revoked."),
            Setting(
                "KIDOBAN_GOOGLE_RISC_JWKS_URL", \.providerTokens.googleEventKeysURL, .keySetURL,
                "Where the keys are that sign Google's security events."),
        ])
}
