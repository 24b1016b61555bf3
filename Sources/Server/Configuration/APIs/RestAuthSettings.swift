import Endpoints

extension Settings {
    /// What the team's own server was set to: the API answers like it.
    static let restAuth = Section(
        title: "The rest-auth API",
        settings: [
            Setting(
                "KIDOBAN_REST_AUTH_DIALECT", \.restAuth.dialect, .choice([.djangoRestAuth, .djRestAuth]),
                "Whose answers: django-rest-auth 0.9.5, or dj-rest-auth 7."),
            Setting(
                "KIDOBAN_REST_AUTH_TOKENS", \.restAuth.tokens, .choice([.key, .jwt]),
                "What a sign-in gives: a key, or JWTs (`REST_USE_JWT`, `USE_JWT`)."),
            Setting(
                "KIDOBAN_REST_AUTH_KEYS", \.restAuth.keySharing, .choice([.perLogin, .shared]),
                "Whether each sign-in has its own key, or all of a user's share one. A sign-out ends the key."),
            Setting(
                "KIDOBAN_REST_AUTH_LOGIN_NAME", \.restAuth.loginName, .choice([.email, .username, .either]),
                "What users sign in with: allauth's `ACCOUNT_AUTHENTICATION_METHOD`."),
            Setting(
                "KIDOBAN_REST_AUTH_EMAIL_VERIFICATION", \.restAuth.emailVerification, .choice([.none, .optional, .mandatory]),
                "Whether new users get a verification mail, and need it to sign in: allauth's `ACCOUNT_EMAIL_VERIFICATION`."),
            Setting(
                "KIDOBAN_REST_AUTH_LOGOUT_ON_GET", \.restAuth.logsOutOnGet, .flag,
                "Whether `GET` signs out too; never for a page of another site."),
            Setting(
                "KIDOBAN_REST_AUTH_SESSION_LOGIN", \.restAuth.beginsCookieSession, .flag,
                "Whether a sign-in sets the cookie `sessionid` too."),
            Setting(
                "KIDOBAN_REST_AUTH_PARITY", \.restAuth.changesPasswordWithoutOld, .flag,
                "Whether a session of any age may set a password without the old one and disconnect a provider, as in "
                    + "the original; else only within `KIDOBAN_RECENT_SIGN_IN`."),
            Setting(
                "KIDOBAN_REST_AUTH_JAPANESE", \.restAuth.japanese, .choice([.off, .django, .all]),
                "What `Accept-Language: ja` translates: nothing, what Django does, or all."
            ),
            Setting(
                "KIDOBAN_REST_AUTH_RESET_LINK", optional: \.restAuth.explicitResetLink, .link(["{token}"], perhaps: "{uid}"),
                fallback: .derived("a page of Kidoban's own", { $0.placedRestAuth.resetLink }),
                "The link in a mail for a new password. Without the API `pages`: allauth's path at `KIDOBAN_ISSUER`."),
            Setting(
                "KIDOBAN_REST_AUTH_VERIFICATION_LINK", optional: \.restAuth.explicitVerificationLink, .link(["{key}"]),
                fallback: .derived("a page of Kidoban's own", { $0.placedRestAuth.verificationLink }),
                "The link in a verification mail."),
            Setting(
                "KIDOBAN_REST_AUTH_ROTATE", \.restAuth.rotatesRefreshTokens, .flag,
                "Whether a refresh gives a new refresh token: `ROTATE_REFRESH_TOKENS`."),
            Setting(
                "KIDOBAN_REST_AUTH_BLACKLIST", \.restAuth.hasBlacklist, .flag,
                "Whether signing out with JWTs needs the refresh token: simplejwt's blacklist."
            ),
            Setting(
                "KIDOBAN_REST_AUTH_RETURN_EXPIRATION", \.restAuth.returnsExpiration, .flag,
                "Whether answers say when the JWTs expire: `JWT_AUTH_RETURN_EXPIRATION`."),
            Setting(
                "KIDOBAN_REST_AUTH_JWT_COOKIE", \.restAuth.tokenCookies.access, .cookieName,
                "The cookie of the access token: `JWT_AUTH_COOKIE`."),
            Setting(
                "KIDOBAN_REST_AUTH_JWT_REFRESH_COOKIE", \.restAuth.tokenCookies.refresh, .cookieName,
                "That of the refresh token: `JWT_AUTH_REFRESH_COOKIE`."),
            Setting(
                "KIDOBAN_REST_AUTH_JWT_HTTPONLY", \.restAuth.tokenCookies.isHTTPOnly, .flag,
                "Whether scripts cannot read these cookies, and no body has the refresh token: `JWT_AUTH_HTTPONLY`."),
            Setting(
                "KIDOBAN_REST_AUTH_MOUNTS", \.restAuth.mounts, .mounts,
                "Where the endpoints are."),
        ])
}

extension SettingFormat where Value == String {
    /// A link of mails, with what is filled in.
    static func link(_ places: [String], perhaps optional: String? = nil) -> SettingFormat {
        let list = places.joined(separator: " and ")
        return SettingFormat(
            "an http or https URL of at most 512 printable characters with \(list) in it"
                + (optional.map { ", and perhaps \($0)" } ?? ""),
            parse: { text throws(SettingRefusal) in
                guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
                    throw SettingRefusal("is no http or https URL")
                }
                guard text.utf8.count <= 512, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
                    throw SettingRefusal("is too long or has a character that is not allowed")
                }
                guard places.allSatisfy({ text.split(separator: $0, omittingEmptySubsequences: false).count == 2 }) else {
                    throw SettingRefusal("does not have \(list) in it once")
                }
                return text
            },
            render: { value, _ in value })
    }

    fileprivate static var cookieName: SettingFormat {
        SettingFormat(
            "nothing, or at most 64 letters, digits, `-` and `_`", acceptsEmpty: true,
            parse: { text throws(SettingRefusal) in
                let isName = text.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
                guard text.utf8.count <= 64, isName else { throw SettingRefusal("is no name of a cookie") }
                return text
            },
            render: { value, _ in value })
    }
}

extension SettingFormat where Value == [String] {
    /// Paths with commas between them.
    fileprivate static var mounts: SettingFormat {
        SettingFormat(
            "one or more paths such as /rest-auth with commas between them",
            parse: { text throws(SettingRefusal) in
                var mounts: [String] = []
                for part in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
                    let mount = try SettingFormat<String>.pathPrefix.parse(part)
                    guard !mount.isEmpty, !mounts.contains(mount) else { throw SettingRefusal("is empty or names a path twice") }
                    mounts.append(mount)
                }
                return mounts
            },
            render: { value, _ in value.joined(separator: ",") })
    }
}

extension Configuration {
    /// What the rest-auth API was set to, and where the installation and its pages are.
    var placedRestAuth: RestAuth.Options {
        var options = restAuth
        options.site = issuer
        options.pages = apis.open.contains(Pages.name) ? apis[prefixOf: Pages.name] : nil
        return options
    }
}
