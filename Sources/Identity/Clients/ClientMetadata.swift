package import Crypto
package import JOSE
package import Text

/// `grant_types`. The raw values are those of the wire, and are stored.
package enum GrantType: String, Sendable, CaseIterable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    case clientCredentials = "client_credentials"
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    /// RFC 8693. No kind of client has it unless somebody says so.
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    /// RFC 7523 §2.1. No kind of client has it unless somebody says so.
    case jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    /// For audit events.
    package var shortName: String {
        switch self {
        case .authorizationCode, .refreshToken, .clientCredentials: rawValue
        case .deviceCode: "device_code"
        case .tokenExchange: "token_exchange"
        case .jwtBearer: "jwt_bearer"
        }
    }
}

/// `response_types`: the implicit and hybrid ones are not offered (RFC 9700 §2.1.2).
package enum ResponseType: String, Sendable, CaseIterable {
    case code
}

/// `token_endpoint_auth_method` (RFC 7591 §2, OpenID Connect Core 1.0 §9).
package enum ClientAuthenticationMethod: String, Sendable, CaseIterable {
    case nothing = "none"
    case clientSecretBasic = "client_secret_basic"
    case clientSecretPost = "client_secret_post"
    case privateKeyJWT = "private_key_jwt"

    package var usesSecret: Bool {
        self == .clientSecretBasic || self == .clientSecretPost
    }
}

/// The keys of a client, by value or by reference: `jwks` or `jwks_uri`.
package enum ClientKeys: Sendable {
    case set(JWKSet)
    case url(String)
}

extension ClientKeys: Equatable {
    package static func == (left: ClientKeys, right: ClientKeys) -> Bool {
        switch (left, right) {
        case (.set(let left), .set(let right)): left.rendered == right.rendered
        case (.url(let left), .url(let right)): left == right
        case (.set, .url), (.url, .set): false
        }
    }
}

/// Where a client is told that a session has ended: OpenID Connect Front-Channel Logout 1.0 §2, Back-Channel Logout 1.0 §2.2.
package struct ClientLogout: Equatable, Sendable {
    package let uri: String
    /// Whether it wants to hear which session.
    package let requiresSession: Bool

    package init(uri: String, requiresSession: Bool = false) {
        self.uri = uri
        self.requiresSession = requiresSession
    }
}

/// What is shown of a client to people who are asked for their consent, and whom to write to.
package struct ClientPresentation: Equatable, Sendable {
    /// `client_uri`: its home page.
    package var homePage: String?
    package var logo: String?
    package var policy: String?
    package var terms: String?
    package var contacts: [String] = []

    package init() {}
}

/// Who has registered a client.
package enum ClientRegistration: Equatable, Sendable {
    case byOperator
    /// It has registered itself (RFC 7591).
    /// - Parameter accessToken: the digest of the token by which it manages its registration (RFC 7592 §3).
    case dynamic(accessToken: Digest)
}

/// What kind of access token a client gets. The raw values are stored.
package enum AccessTokenFormat: String, Sendable, CaseIterable {
    /// Random text; only introspection says what it means.
    case opaque
    /// A JWT (RFC 9068) that can also be verified offline.
    case jwtES256 = "jwt_es256"
    case jwtRS256 = "jwt_rs256"

    /// `nil` for a token that is not signed.
    package var algorithm: SignatureAlgorithm? {
        switch self {
        case .opaque: nil
        case .jwtES256: .es256
        case .jwtRS256: .rs256
        }
    }
}

/// How long a session lives: `idle` after its last use, and never longer than `absolute` after its beginning.
package struct SessionLifetime: Equatable, Sendable {
    package let idle: Duration
    package let absolute: Duration

    package init(idle: Duration, absolute: Duration) {
        self.idle = idle
        self.absolute = absolute
    }

    /// 30 days without use, 90 days in all.
    package static let standard = SessionLifetime(idle: .seconds(30 * 86_400), absolute: .seconds(90 * 86_400))

    /// When an access token that is issued now has to expire.
    ///
    /// Never after the session's own record, whose list of live access tokens is what makes them revocable.
    package func accessTokenExpiry(lifetime: Duration, at now: Timestamp, absoluteEnd: Timestamp) -> Timestamp {
        min(now.adding(min(lifetime, idle)), absoluteEnd)
    }
}
