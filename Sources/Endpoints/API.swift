package import Routing

/// A client protocol that the server speaks, as operators know it. `all` is the one list of them: its names are what
/// `KIDOBAN_APIS` accepts, its prefixes become settings.
package struct API: Sendable {
    package typealias Maker = @Sendable (Services, _ prefix: String) -> RouteGroup

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
        API("app", "app API (`/auth/…`)", prefixSetting: "KIDOBAN_ECHOLOG_PREFIX") { AppAPI.make($0, prefix: $1) },
        API("token", "token resource (`/auth/token`)", prefixSetting: "KIDOBAN_TOKEN_PREFIX") {
            TokenAPI.make($0, prefix: $1)
        },
        API("cookie", "cookie session (`/login`, `/touch`, …)", prefixSetting: "KIDOBAN_COOKIE_PREFIX") {
            CookieAPI.make($0, prefix: $1)
        },
        API("rest-auth", "rest-auth API", prefixSetting: "KIDOBAN_REST_AUTH_PREFIX") { RestAuthAPI.make($0, prefix: $1) },
        API("pages", "pages behind the links in mails (`/account/…`)", prefixSetting: "KIDOBAN_PAGES_PREFIX") {
            PagesAPI.make($0, prefix: $1)
        },
        API("federation", "providers' API (`/federation/…`)") { services, _ in ProvidersAPI.make(services) },
        API("oauth", "backends' API (`/oauth2/…`)") { services, _ in OAuthAPI.make(services) },
    ]
}
