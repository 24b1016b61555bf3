package import Identity
package import Routing

/// A client protocol that the server speaks, as operators know it. `all` is the one list of them: its names are what
/// `KIDOBAN_APIS` accepts, its prefixes become settings.
package struct API: Sendable {
    package typealias Maker = @Sendable (APIParts, _ prefix: String) -> RouteGroup

    package let name: String
    /// What it is, to follow "the".
    package let title: String
    /// The setting that says what its paths start with; nil where a standard says it.
    package let prefixSetting: String?
    package let make: Maker

    private init(_ name: String, _ title: String, prefixSetting: String? = nil, make: @escaping Maker) {
        self.name = name
        self.title = title
        self.prefixSetting = prefixSetting
        self.make = make
    }

    package static let all = [
        API("app", "app API (`/auth/…`)", prefixSetting: "KIDOBAN_ECHOLOG_PREFIX") {
            AppAPI.make($0.services, $0.app, migration: $0.migration, prefix: $1)
        },
        API("token", "token resource (`/auth/token`)", prefixSetting: "KIDOBAN_TOKEN_PREFIX") {
            TokenAPI.make($0.services, prefix: $1)
        },
        API("cookie", "cookie session (`/login`, `/touch`, …)", prefixSetting: "KIDOBAN_COOKIE_PREFIX") {
            CookieAPI.make($0.services, $0.cookies, prefix: $1)
        },
        API("rest-auth", "rest-auth API", prefixSetting: "KIDOBAN_REST_AUTH_PREFIX") {
            RestAuth.make($0.services, $0.restAuth, prefix: $1)
        },
        API("identity-toolkit", "Firebase Authentication's API") { parts, _ in
            IdentityToolkit.make(parts.services, parts.firebase, prefix: "")
        },
        API("pages", "pages behind the links in mails (`/account/…`)", prefixSetting: "KIDOBAN_PAGES_PREFIX") {
            Pages.make($0.services, prefix: $1, signInPage: $0.signInPage)
        },
        // Before all others with paths below /oauth2: what is not there is answered by the first one.
        API(OAuth.name, "backends' API (`/oauth2/…`)") { parts, _ in OAuth.make(parts.services, parts.oauth) },
        API(SignInPages.name, "sign-in pages (`/sign-in`, `/account`, …)") { parts, _ in SignInPages.make(parts.signIn) },
        API(Registration.name, "dynamic client registration (`/oauth2/register`)") { parts, _ in
            Registration.make(parts.services, parts.registrations)
        },
        API("federation", "providers' API (`/federation/…`)") { parts, _ in Providers.make(parts.services) },
        API("openid", "OpenID provider (`/oauth2/authorize`, …)") { parts, _ in OpenID.make(parts.services, served: parts.served)
        },
    ]
}

/// What the APIs of one loop are made of: the services that they share, and what each has of its own.
package struct APIParts: Sendable {
    package let services: Services
    package let app: AppAPI.Options
    package let cookies: CookieAPI.Policy
    package let restAuth: RestAuth.Parts
    package let registrations: ClientRegistrations
    package let oauth: OAuth.Options
    package let signIn: SignInPages.Parts
    package let firebase: IdentityToolkit.Parts
    /// Nil where no Firebase project's users come over.
    package let migration: FirebaseMigration?
    /// The names of the APIs that are served.
    package let served: Set<String>

    package init(
        services: Services, app: AppAPI.Options, cookies: CookieAPI.Policy, restAuth: RestAuth.Parts, oauth: OAuth.Options,
        signIn: SignInPages.Parts, registrations: ClientRegistrations, firebase: IdentityToolkit.Parts,
        migration: FirebaseMigration?, served: Set<String>
    ) {
        self.served = served
        self.oauth = oauth
        self.firebase = firebase
        self.migration = migration
        self.services = services
        self.app = app
        self.cookies = cookies
        self.restAuth = restAuth
        self.signIn = signIn
        self.registrations = registrations
    }

    /// Where people can sign in on a page of ours; nil where nobody can.
    fileprivate var signInPage: String? {
        served.contains(SignInPages.name) ? services.authorization.issuer + SignInPages.ShowSignIn.path : nil
    }
}
