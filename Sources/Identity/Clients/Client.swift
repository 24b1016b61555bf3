package import Crypto
package import Text

/// Software that talks to us in its own name: an app that signs users in, or a backend that asks whether tokens are good.
///
/// Its properties are the client metadata of RFC 7591 §2 and OpenID Connect Dynamic Client Registration 1.0 §2, and what goes beyond it.
/// What may go together says `problems()`.
package struct Client: Equatable, Sendable {
    /// What it is. Decides what `Client(_:…)` starts from, and which redirect URIs it may have. The raw values are stored.
    package enum Kind: String, Sendable, CaseIterable {
        /// An application on a server, which can keep a secret.
        case web
        /// An app on the user's device (RFC 8252).
        case native
        /// A page that runs in the browser and has no server of its own.
        case spa
        /// A program that acts for itself, without a user.
        case service
        /// A device without a browser or a keyboard (RFC 8628).
        case device
        /// A backend that takes tokens and asks whether they are good.
        case resourceServer = "resource_server"
    }

    /// What a client may do besides what its grant types say. The raw values are stored.
    package enum Permission: String, Sendable, CaseIterable {
        /// Ask about tokens of its audiences (RFC 7662).
        case introspect
        /// Get tokens for users who sign in through it.
        case signIn = "sign_in"
    }

    /// How a client proves who it is.
    package enum Authentication: Equatable, Sendable {
        /// Not at all: an app on a device that its user can take apart (RFC 6749 §2.1).
        case publicClient
        /// With a secret that has this digest.
        case secret(Digest)
        /// With an assertion that one of its `keys` has signed (RFC 7523 §2.2).
        case privateKeyJWT
    }

    /// The audience that stands for all of them.
    package static let anyAudience = "*"
    /// Who the user is, and the address: what tokens say of them anyway.
    package static let standardScopes = ["openid", "email", "profile"]

    package let id: ClientID
    /// For people.
    package var name: String
    package var kind: Kind
    /// Whether it is the team's own: its users are not asked for consent.
    package var isFirstParty: Bool
    /// From then on it gets nothing and proves nothing.
    package var disabledAt: Timestamp?
    package var registration = ClientRegistration.byOperator

    package var authentication: Authentication
    /// What the metadata says of how it sends its secret. Both ways are taken from every client that has one (RFC 6749 §2.3.1).
    package var sendsSecretInForm = false
    /// Good beside the secret of `authentication`; nil when there is none.
    package var previousSecret: PreviousSecret?
    /// The keys that its assertions are signed with.
    package var keys: ClientKeys?

    package var permissions: Set<Permission>
    package var grantTypes: Set<GrantType>
    package var responseTypes: Set<ResponseType>
    package var redirectURIs: [RedirectURI] = []
    package var postLogoutRedirectURIs: [RedirectURI] = []
    package var frontChannelLogout: ClientLogout?
    package var backChannelLogout: ClientLogout?

    /// What its access tokens are good for (RFC 6749 §3.3), in this order.
    package var scopes: [String]
    /// Whom the tokens are for that it gets, and whose tokens it may introspect.
    package var audiences: [String]
    /// Whether an authorization request without a `code_challenge` is refused (RFC 7636).
    package var requiresPKCE: Bool
    /// Whether its access tokens are bound to a key of its own (RFC 9449 §5.2).
    package var requiresDPoP = false
    package var accessTokenFormat: AccessTokenFormat
    package var accessTokenLifetime: Duration
    package var sessionLifetime: SessionLifetime
    /// Whether each use of a refresh token replaces it, whatever the client asks for.
    package var rotatesRefreshTokens: Bool
    /// What its id tokens are signed with.
    package var idTokenAlgorithm = SignatureAlgorithm.rs256
    /// What the claims of UserInfo are signed with; nil for JSON, unless it asks for a JWT.
    package var userInfoAlgorithm: SignatureAlgorithm?
    package var presentation = ClientPresentation()

    /// - Parameters:
    ///   - grantTypes: those of the kind unless given.
    ///   - requiresPKCE: so it is unless the client can keep a secret and asks for it.
    package init(
        id: ClientID, name: String, kind: Kind = .native, authentication: Authentication, previousSecret: PreviousSecret? = nil,
        permissions: Set<Permission>, grantTypes: Set<GrantType>? = nil, audiences: [String],
        accessTokenFormat: AccessTokenFormat = .jwtES256, accessTokenLifetime: Duration = .seconds(15 * 60),
        sessionLifetime: SessionLifetime = .standard, scopes: [String] = Client.standardScopes,
        rotatesRefreshTokens: Bool = false, isFirstParty: Bool = false, requiresPKCE: Bool = true
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.isFirstParty = isFirstParty
        self.authentication = authentication
        self.previousSecret = previousSecret
        self.permissions = permissions
        let grants = grantTypes ?? kind.grantTypes
        self.grantTypes = grants
        responseTypes = grants.contains(.authorizationCode) ? [.code] : []
        self.scopes = scopes
        self.audiences = audiences
        self.requiresPKCE = requiresPKCE
        self.accessTokenFormat = accessTokenFormat
        self.accessTokenLifetime = accessTokenLifetime
        self.sessionLifetime = sessionLifetime
        self.rotatesRefreshTokens = rotatesRefreshTokens
    }
}

extension Client {
    /// Whom its tokens are for; empty if that is left to the installation.
    package var tokenAudiences: [String] {
        audiences.filter { $0 != Self.anyAudience }
    }

    /// The first of them.
    package var tokenAudience: String? {
        tokenAudiences.first
    }

    /// Space-separated; nil for none.
    package var scope: String? {
        scopes.isEmpty ? nil : scopes.joined(separator: " ")
    }

    package var mayIntrospect: Bool {
        permissions.contains(.introspect)
    }

    package var maySignUsersIn: Bool {
        permissions.contains(.signIn)
    }

    package var isDisabled: Bool {
        disabledAt != nil
    }

    package var isPublic: Bool {
        authentication == .publicClient
    }

    /// Whether tokens are issued to it, for users or for itself.
    package var getsTokens: Bool {
        maySignUsersIn || !grantTypes.isEmpty
    }

    package var authenticationMethod: ClientAuthenticationMethod {
        switch authentication {
        case .publicClient: .nothing
        case .secret: sendsSecretInForm ? .clientSecretPost : .clientSecretBasic
        case .privateKeyJWT: .privateKeyJWT
        }
    }

    /// Whether it may be sent back to this URI (RFC 6749 §3.1.2.3).
    package func allowsRedirect(to uri: String) -> Bool {
        redirectURIs.contains { $0.matches(uri) }
    }

    /// Whether it may be sent back to this URI after a sign-out (OpenID Connect RP-Initiated Logout 1.0 §3).
    package func allowsPostLogoutRedirect(to uri: String) -> Bool {
        postLogoutRedirectURIs.contains { $0.matches(uri) }
    }
}
