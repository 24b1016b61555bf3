package import Identity
package import Text

extension Settings {
    static let providerTokens = Section(
        title: "Tokens and notices of providers",
        settings: [
            Setting(
                "KIDOBAN_APPLE_TEAM_ID", optional: \.providerTokens.appleTeamID, .appleIdentifier,
                fallback: .nothing("none; Apple's authorization codes are then ignored"),
                "The team in Apple's developer portal. With the next two (all or none), Apple's authorization codes are "
                    + "exchanged for tokens, which are revoked with the account."),
            Setting(
                "KIDOBAN_APPLE_KEY_ID", optional: \.providerTokens.appleKeyID, .appleIdentifier, fallback: .nothing("none"),
                "The team's key for Sign in with Apple."),
            Setting(
                "KIDOBAN_APPLE_PRIVATE_KEY", optional: \.providerTokens.applePrivateKey, .applePrivateKey,
                fallback: .nothing("none"), "That key: what is in the `.p8` file."),
            Setting(
                "KIDOBAN_APPLE_TOKEN_URL", \.providerTokens.appleTokenURL, .keySetURL,
                "Where Apple exchanges authorization codes."),
            Setting(
                "KIDOBAN_APPLE_AUTHORIZE_URL", \.providerTokens.appleAuthorizeURL, .keySetURL,
                "Where the Apple button of the sign-in pages leads."),
            Setting(
                "KIDOBAN_APPLE_REVOKE_URL", \.providerTokens.appleRevokeURL, .keySetURL, "Where Apple's tokens are revoked."),
            Setting(
                "KIDOBAN_APPLE_CODE_CLIENT_ID", optional: \.providerTokens.explicitAppleCodeClientID, .clientID,
                fallback: .derived("the first of `KIDOBAN_APPLE_CLIENT_IDS`", { $0.federation.apple.clientIDs.first ?? "" }),
                "The app or Services ID whose authorization codes the rest-auth API takes without an id token."),
            Setting(
                "KIDOBAN_APPLE_REDIRECT_URI", optional: \.providerTokens.appleRedirectURI, .redirectURI,
                fallback: .nothing("none, as for the codes of native apps"),
                "The redirect URI that those codes were asked for with."),
            Setting(
                "KIDOBAN_GOOGLE_CLIENT_SECRET", optional: \.providerTokens.googleClientSecret, .clientSecret,
                fallback: .nothing("none; Google's authorization codes are then refused"),
                "With it the rest-auth API exchanges Google's authorization codes."),
            Setting(
                "KIDOBAN_GOOGLE_CODE_CLIENT_ID", optional: \.providerTokens.explicitGoogleCodeClientID, .clientID,
                fallback: .derived("the first of `KIDOBAN_GOOGLE_CLIENT_IDS`", { $0.federation.google.clientIDs.first ?? "" }),
                "The client of that secret and of the codes."),
            Setting(
                "KIDOBAN_GOOGLE_REDIRECT_URI", \.providerTokens.googleRedirectURI, .redirectURI,
                "The redirect URI of the codes; `postmessage` for those of Google's scripts and of apps."
            ),
            Setting(
                "KIDOBAN_GOOGLE_TOKEN_URL", \.providerTokens.googleTokenURL, .keySetURL,
                "Where Google exchanges authorization codes."),
            Setting(
                "KIDOBAN_GOOGLE_AUTHORIZE_URL", \.providerTokens.googleAuthorizeURL, .keySetURL,
                "Where the Google button of the sign-in pages leads."),
            Setting(
                "KIDOBAN_GOOGLE_TOKENINFO_URL", \.providerTokens.googleTokenInfoURL, .keySetURL,
                "Where Google tells what an access token is."),
            Setting(
                "KIDOBAN_GOOGLE_REVOKE_URL", \.providerTokens.googleRevokeURL, .keySetURL,
                "Where Google's tokens are revoked."),
            Setting(
                "KIDOBAN_GOOGLE_RISC_JWKS_URL", \.providerTokens.googleEventKeysURL, .keySetURL,
                "The keys that sign Google's security events."),
        ])
}

extension Configuration {
    /// How tokens of providers are got and revoked, and how what they tell us is verified.
    package struct ProviderTokens: Sendable {
        package var appleTeamID: String?
        package var appleKeyID: String?
        package var applePrivateKey: AppleCredentials.PrivateKey?
        package var appleAuthorizeURL = "https://appleid.apple.com/auth/authorize"
        package var googleAuthorizeURL = "https://accounts.google.com/o/oauth2/v2/auth"
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

extension SettingFormat where Value == String {
    /// How Apple names teams and keys.
    static var appleIdentifier: SettingFormat {
        SettingFormat(
            "10 capital letters and digits",
            parse: { text throws(SettingRefusal) in
                let isCapital = { (byte: UInt8) in UInt8(ascii: "A") <= byte && byte <= UInt8(ascii: "Z") }
                guard text.utf8.count == 10, text.utf8.allSatisfy({ $0.isDigit || isCapital($0) }) else {
                    throw SettingRefusal("is not 10 capital letters and digits")
                }
                return text
            },
            render: { value, _ in value })
    }
}

extension SettingFormat where Value == String {
    /// One of our names at a provider.
    static var clientID: SettingFormat {
        SettingFormat(
            "a client id: 1 to 255 visible ASCII characters without quotes and backslashes",
            parse: { text throws(SettingRefusal) in
                guard text.isAudience else { throw SettingRefusal("is too long or has a character that is not allowed") }
                return text
            },
            render: { value, _ in value })
    }

    /// What a provider compares byte by byte; Google has one that is no URI.
    static var redirectURI: SettingFormat {
        SettingFormat(
            "a URI of at most 2048 printable ASCII characters, or postmessage",
            parse: { text throws(SettingRefusal) in
                guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                    throw SettingRefusal("is too long or has a character that is not allowed")
                }
                return text
            },
            render: { value, _ in value })
    }
}

extension SettingFormat where Value == SecretString {
    /// Of a client at a provider.
    static var clientSecret: SettingFormat {
        SettingFormat(
            "a client secret of 8 to 512 printable ASCII characters", isSecret: true,
            parse: { text throws(SettingRefusal) in
                guard (8...512).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                    throw SettingRefusal("is too short, too long or has a character that is not allowed")
                }
                return SecretString(text)
            },
            render: { _, _ in SecretBytes.redaction })
    }
}

extension SettingFormat where Value == AppleCredentials.PrivateKey {
    static var applePrivateKey: SettingFormat {
        SettingFormat(
            "an EC private key on P-256 in PEM, as in a `.p8` file of Apple's",
            isSecret: true,
            parse: { text throws(SettingRefusal) in
                guard let key = AppleCredentials.PrivateKey(pem: SecretString(text)) else {
                    throw SettingRefusal("is not an EC private key on P-256 in PEM")
                }
                return key
            },
            render: { _, _ in SecretBytes.redaction })
    }
}
