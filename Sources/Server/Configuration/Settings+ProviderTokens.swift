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
                "KIDOBAN_GOOGLE_REVOKE_URL", \.providerTokens.googleRevokeURL, .keySetURL,
                "Where Google's tokens are revoked."),
            Setting(
                "KIDOBAN_GOOGLE_RISC_JWKS_URL", \.providerTokens.googleEventKeysURL, .keySetURL,
                "Where the keys are that sign Google's security events."),
        ])
}
