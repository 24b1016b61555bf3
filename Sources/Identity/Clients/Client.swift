package import Crypto

/// Software that talks to us in its own name: an app, or a backend that asks whether tokens are good.
package struct Client: Equatable, Sendable {
    /// What a client may do. The raw values are stored.
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
    }

    /// The audience that stands for all of them.
    package static let anyAudience = "*"

    package let id: ClientID
    /// For people.
    package let name: String
    package let authentication: Authentication
    /// Good beside the secret of `authentication`; nil when there is none.
    package let previousSecret: PreviousSecret?
    package let permissions: Set<Permission>
    /// The first is the audience of the tokens that the client gets; those of all may be introspected by it.
    package let audiences: [String]
    package let accessTokenFormat: AccessTokenFormat
    package let accessTokenLifetime: Duration
    package let sessionLifetime: SessionLifetime
    /// What its access tokens are good for (RFC 6749 §3.3), in this order.
    package let scopes: [String]
    /// Whether each use of a refresh token replaces it, whatever the client asks for.
    package let rotatesRefreshTokens: Bool

    package init(
        id: ClientID, name: String, authentication: Authentication, previousSecret: PreviousSecret? = nil,
        permissions: Set<Permission>, audiences: [String],
        accessTokenFormat: AccessTokenFormat = .jwtES256, accessTokenLifetime: Duration = .seconds(15 * 60),
        sessionLifetime: SessionLifetime = .standard, scopes: [String] = Client.standardScopes,
        rotatesRefreshTokens: Bool = false
    ) {
        self.id = id
        self.name = name
        self.authentication = authentication
        self.previousSecret = previousSecret
        self.permissions = permissions
        self.audiences = audiences
        self.accessTokenFormat = accessTokenFormat
        self.accessTokenLifetime = accessTokenLifetime
        self.sessionLifetime = sessionLifetime
        self.scopes = scopes
        self.rotatesRefreshTokens = rotatesRefreshTokens
    }

    /// Who the user is, and the address: what tokens say of him anyway.
    package static let standardScopes = ["openid", "email", "profile"]

    /// Whom its tokens are for; nil if that is left to the installation.
    var tokenAudience: String? {
        audiences.first { $0 != Self.anyAudience }
    }

    /// Space-separated; nil for none.
    var scope: String? {
        scopes.isEmpty ? nil : scopes.joined(separator: " ")
    }

    package var mayIntrospect: Bool {
        permissions.contains(.introspect)
    }

    package var maySignUsersIn: Bool {
        permissions.contains(.signIn)
    }
}
