package import JOSE

/// Why an authorization code did not become a stored token.
package enum CodeExchangeFailure: Error, Equatable, CustomStringConvertible {
    /// As the audit log tells it.
    package enum Reason: String, Sendable, CaseIterable {
        /// Apple did not answer, or not as it should.
        case unavailable
        /// Apple refused the code, or us.
        case refused
        /// The id token that came back is not of this person and app.
        case wrongIDToken = "wrong_id_token"
        /// The id token that the code was sent with names another one.
        case wrongHash = "wrong_hash"
        /// The user went meanwhile; the token will be revoked.
        case userGone = "user_gone"
        /// The database was away.
        case notStored = "not_stored"
        /// Too many were under way.
        case overloaded
    }

    case call(ProviderCallFailure)
    case idToken(JOSEError)
    case userGone
    case store

    var reason: Reason {
        switch self {
        case .call(.refused): .refused
        case .call: .unavailable
        case .idToken: .wrongIDToken
        case .userGone: .userGone
        case .store: .notStored
        }
    }

    package var description: String {
        switch self {
        case .call(let failure): failure.description
        case .idToken(let error): "id token: \(error.reason)"
        case .userGone: "the user is gone"
        case .store: "the store is away"
        }
    }
}
