package import JOSE

/// Why a notice is not believed. The sender learns the kind; the rest is for the log.
package enum NoticeRefusal: Error, Equatable, Sendable {
    /// It is no JWS, its signature does not hold, or its claims cannot be read.
    case token(JOSEError)
    case issuer
    case audience
    /// It lacks what such a notice has; the name of the claim.
    case claim(String)
    /// Issued too long ago, or in the future.
    case time

    /// What the sender is told.
    package enum Fault: Sendable {
        case unreadable, signature, issuer, audience, claim, time
    }

    package var fault: Fault {
        switch self {
        case .token(.unknownKey), .token(.missingKeyID), .token(.invalidSignature), .token(.keyDoesNotFit): .signature
        case .token: .unreadable
        case .issuer: .issuer
        case .audience: .audience
        case .claim: .claim
        case .time: .time
        }
    }

    /// For the log.
    package var reason: String {
        switch self {
        case .token(let error): error.reason
        case .issuer: "issuer"
        case .audience: "audience"
        case .claim(let name): "claim_\(name)"
        case .time: "time"
        }
    }
}

/// Why a notice was not taken.
package enum NoticeFailure: Error, Equatable, Sendable {
    case refused(NoticeRefusal)
    /// The provider is not configured here.
    case notConfigured
    /// Keys or a store are away: the provider should send it again.
    case unavailable(retryAfter: Duration)
    case internalFault

    init(_ error: IdentityError) {
        switch error {
        case .service(.unavailable(let delay)), .service(.overloaded(let delay)): self = .unavailable(retryAfter: delay)
        case .service(.internalFault): self = .internalFault
        default:
            _ = ServiceFailure.fault("a notice was refused as nobody refuses one: \(error)")
            self = .internalFault
        }
    }
}
