package import Crypto

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
