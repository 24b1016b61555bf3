/// What a client of each kind starts from: the safe choice, which an operator may change.
extension Client.Kind {
    package var grantTypes: Set<GrantType> {
        switch self {
        case .web, .native, .spa: [.authorizationCode, .refreshToken]
        case .service: [.clientCredentials]
        case .device: [.deviceCode, .refreshToken]
        case .resourceServer: []
        }
    }

    package var permissions: Set<Client.Permission> {
        switch self {
        case .web, .native, .spa, .device: [.signIn]
        case .service: []
        case .resourceServer: [.introspect]
        }
    }

    /// What runs on a user's device keeps no secret (RFC 6749 §2.1).
    package var authenticationMethod: ClientAuthenticationMethod {
        switch self {
        case .web, .service, .resourceServer: .clientSecretBasic
        case .native, .spa, .device: .nothing
        }
    }

    /// Refresh tokens of public clients are for one use each (RFC 9700 §2.2.2).
    package var rotatesRefreshTokens: Bool {
        switch self {
        case .native, .spa, .device: true
        case .web, .service, .resourceServer: false
        }
    }

    /// What its tokens are good for unless that is said: those without a user say nothing of one.
    package var scopes: [String] {
        switch self {
        case .web, .native, .spa, .device: Client.standardScopes
        case .service, .resourceServer: []
        }
    }

    /// `application_type` (OpenID Connect Dynamic Client Registration 1.0 §2).
    package var applicationType: String {
        switch self {
        case .native, .device: "native"
        case .web, .spa, .service, .resourceServer: "web"
        }
    }

    /// Which redirect URIs it may have.
    package var redirectRule: RedirectURI.Rule {
        self == .native ? .nativeApp : .webPage
    }
}
