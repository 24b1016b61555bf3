package import Identity

extension RestAuth {
    /// What a team's server of the rest-auth family was set to: the API has no way to know, and clients notice each of these.
    package struct Options: Sendable {
        /// Whose answers are given.
        package enum Dialect: String, Sendable, CaseIterable {
            /// django-rest-auth 0.9.5 with allauth 0.43.
            case djangoRestAuth = "0.9.5"
            /// dj-rest-auth 7.
            case djRestAuth = "7"
        }

        /// What a sign-in gives: `REST_USE_JWT`, `USE_JWT`.
        package enum Tokens: String, Sendable, CaseIterable {
            case key
            case jwt
        }

        /// Whether each sign-in has a key of its own.
        package enum KeySharing: String, Sendable, CaseIterable {
            case perLogin = "per_login"
            /// All of a user's sign-ins have one, and signing out anywhere signs out everywhere that has it.
            case shared
        }

        /// By what a user signs in: `ACCOUNT_AUTHENTICATION_METHOD`.
        package enum LoginName: String, Sendable, CaseIterable {
            case email, username
            case either = "username_email"
        }

        /// `ACCOUNT_EMAIL_VERIFICATION`.
        package enum EmailVerification: String, Sendable, CaseIterable {
            case none, optional, mandatory
        }

        /// What `Accept-Language: ja` brings.
        package enum Japanese: String, Sendable, CaseIterable {
            case off
            /// What Django and its libraries have in Japanese; the sentences of rest-auth itself stay English, as they were.
            case django
            /// Those too.
            case all
        }

        /// The cookies of tokens in 7.x; a name that is empty means no such cookie.
        package struct TokenCookies: Sendable {
            package var access = ""
            package var refresh = ""
            /// `JWT_AUTH_HTTPONLY`: the refresh token is in no body.
            package var isHTTPOnly = true

            package init() {}
        }

        package var dialect = Dialect.djangoRestAuth
        package var tokens = Tokens.key
        package var keySharing = KeySharing.perLogin
        package var loginName = LoginName.email
        package var emailVerification = EmailVerification.optional
        package var japanese = Japanese.django
        /// `ACCOUNT_LOGOUT_ON_GET`.
        package var logsOutOnGet = true
        /// `SESSION_LOGIN`: a sign-in sets `sessionid` too.
        package var beginsCookieSession = true
        /// Whether an old session alone is enough to set a new password, as in the original.
        package var changesPasswordWithoutOld = false
        /// `ROTATE_REFRESH_TOKENS`.
        package var rotatesRefreshTokens = false
        /// Whether signing out takes the refresh token: whether the original had its blacklist.
        package var hasBlacklist = true
        /// `JWT_AUTH_RETURN_EXPIRATION`.
        package var returnsExpiration = false
        package var tokenCookies = TokenCookies()
        /// Where the endpoints are.
        package var mounts = ["/rest-auth", "/dj-rest-auth"]
        /// What links in mails begin with if there is no template, and where pages of our own are served: the issuer.
        package var site = "http://localhost:8080"
        /// What stands before the paths of our own pages; nil when that API is closed.
        package var pages: String? = ""
        /// With `{token}` and perhaps `{uid}`; nil for our own page, or allauth's path at the site where that is closed.
        package var explicitResetLink: String?
        /// With `{key}`; nil for our own page.
        package var explicitVerificationLink: String?

        package init() {}

        package var resetLink: String {
            if let explicitResetLink { return explicitResetLink }
            return pages.map { "\(site)\($0)\(PagePath.password)?code={token}" }
                ?? "\(site)/accounts/password/reset/key/{uid}-{token}/"
        }

        package var verificationLink: String {
            if let explicitVerificationLink { return explicitVerificationLink }
            return pages.map { "\(site)\($0)\(PagePath.email)?code={key}" }
                ?? "\(site)\(mounts.first ?? "")/registration/account-confirm-email/{key}/"
        }

        /// Whether a sign-in gives an access and a refresh token.
        var isSimpleJWT: Bool { tokens == .jwt && dialect == .djRestAuth }

        /// Whether pages and cookies are for https only.
        var isSecure: Bool { site.utf8.starts(with: "https:".utf8) }

        /// How long a key or a refresh token is good.
        private static let accessTokenLifetime = Duration.seconds(300)
        private static let refreshTokenLifetime = Duration.seconds(86_400)

        /// The client in whose name sessions of this API are begun.
        ///
        /// - Parameter app: the team's own app, of which it is another way to speak.
        package func client(_ id: ClientID, like app: Client) -> Client {
            let longest = app.sessionLifetime.absolute
            let (access, session): (Duration, SessionLifetime) =
                switch (tokens, dialect) {
                case (.key, _): (longest, SessionLifetime(idle: longest, absolute: longest))
                case (.jwt, .djangoRestAuth): (Self.accessTokenLifetime, SessionLifetime(idle: longest, absolute: longest))
                case (.jwt, .djRestAuth):
                    (
                        Self.accessTokenLifetime,
                        SessionLifetime(
                            idle: min(Self.refreshTokenLifetime, longest),
                            absolute: rotatesRefreshTokens ? longest : min(Self.refreshTokenLifetime, longest))
                    )
                }
            // What Identity issues with a session of its own accord is given to nobody: the cheapest there is.
            return Client(
                id: id, name: "rest-auth", authentication: .publicClient, permissions: [.signIn], audiences: app.audiences,
                accessTokenFormat: .opaque, accessTokenLifetime: access, sessionLifetime: session, scopes: app.scopes,
                rotatesRefreshTokens: rotatesRefreshTokens, isFirstParty: true)
        }

        /// Which refresh tokens a session has; nil for one that is held by a cookie, beside tokens that are not refreshed.
        var refreshMode: RefreshRotation.Mode? {
            switch (tokens, dialect) {
            case (.key, _), (.jwt, .djangoRestAuth): nil
            case (.jwt, .djRestAuth): rotatesRefreshTokens ? .rotating : .static
            }
        }
    }

    /// What the rest-auth API needs beside the parts that all APIs share.
    package struct Parts: Sendable {
        package let options: Options
        /// In whose name its sessions begin.
        package let client: Client
        package let profiles: ProfileStore
        package let tokens: SharedSecretTokens
        package let system: SystemContext

        package init(
            options: Options, client: Client, profiles: ProfileStore,
            tokens: SharedSecretTokens, system: SystemContext
        ) {
            self.options = options
            self.client = client
            self.profiles = profiles
            self.tokens = tokens
            self.system = system
        }
    }
}
