public import Foundation

/// Why a request is not let in, and what to answer it with.
public enum TokenError: Error, Sendable, Equatable {
    /// No bearer token came.
    case noToken
    case invalid(InvalidToken)
    /// The token is good, and lacks one of these scopes.
    case insufficientScope(Set<String>)
    /// Nobody knows now whether the token is good. To refuse it would sign the user out.
    case unavailable(retryAfter: TimeInterval?)
    /// Kidoban does not answer *us*: a wrong secret, or a client that may not ask. The user did nothing wrong.
    case misconfigured(status: Int)
    case cancelled

    /// The status for the one who sent the token. Never 401 where nobody knows.
    public var status: Int {
        switch self {
        case .noToken, .invalid: 401
        case .insufficientScope: 403
        case .unavailable, .misconfigured, .cancelled: 503
        }
    }

    /// `WWW-Authenticate` (RFC 6750 §3) for 401 and 403.
    public var challenge: String? {
        switch self {
        case .noToken: "Bearer"
        case .invalid: "Bearer error=\"invalid_token\""
        case .insufficientScope(let scopes):
            "Bearer error=\"insufficient_scope\", scope=\"\(scopes.sorted().joined(separator: " "))\""
        case .unavailable, .misconfigured, .cancelled: nil
        }
    }

    /// `Retry-After` in seconds, for 503.
    public var retryAfter: Int? {
        switch self {
        case .unavailable(let delay): Int((delay ?? 1).rounded(.up))
        case .misconfigured, .cancelled: 5
        case .noToken, .invalid, .insufficientScope: nil
        }
    }
}

/// Why a token is not good. For the log: whoever sent it learns `invalid_token` only.
public enum InvalidToken: String, Sendable, Equatable {
    case malformed
    /// Expired, revoked, for another audience, or none: introspection does not say which.
    case inactive
    case revoked
    case expired, notYetValid
    case wrongType, wrongAlgorithm, wrongIssuer, wrongAudience
    case unknownKey, badSignature
    /// It is bound to a key (DPoP, RFC 9449), whose proof this verifier does not check.
    case boundToKey
}
