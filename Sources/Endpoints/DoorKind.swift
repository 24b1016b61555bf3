package import HTTP

/// A client protocol that the server speaks, as operators know it. `all` is the one list of them: its names are what
/// `KIDOBAN_DOORS` accepts, its prefixes become settings.
package struct DoorKind: Sendable {
    package typealias Maker = @Sendable (Services, _ prefix: String) -> Door

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
        DoorKind("app", "app API (`/auth/…`)", prefixSetting: "KIDOBAN_ECHOLOG_PREFIX") { AppDoor.make($0, prefix: $1) },
        DoorKind("token", "token resource (`/auth/token`)", prefixSetting: "KIDOBAN_TOKEN_PREFIX") {
            TokenDoor.make($0, prefix: $1)
        },
        DoorKind("cookie", "cookie session (`/login`, `/touch`, …)", prefixSetting: "KIDOBAN_COOKIE_PREFIX") {
            CookieDoor.make($0, prefix: $1)
        },
        DoorKind("rest-auth", "rest-auth door", prefixSetting: "KIDOBAN_REST_AUTH_PREFIX") { RestAuthDoor.make($0, prefix: $1) },
        DoorKind("pages", "pages behind the links in mails (`/account/…`)", prefixSetting: "KIDOBAN_PAGES_PREFIX") {
            PagesDoor.make($0, prefix: $1)
        },
        DoorKind("federation", "providers' door (`/federation/…`)") { services, _ in FederationDoor.make(services) },
        DoorKind("oauth", "backends' door (`/oauth2/…`)") { services, _ in OAuthDoor.make(services) },
    ]
}
