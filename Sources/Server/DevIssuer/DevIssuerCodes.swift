import Synchronization
import Text

/// What an authorization code of the issuer for development stands for.
struct DevIssuerGrant: Sendable {
    let kind: DevIssuerClaims
    let clientID: String
    let redirectURI: String
    /// Of the request's PKCE (RFC 7636); nil for a request without it.
    let challenge: String?
    /// What the id token has otherwise than usual.
    let claims: JSONObject
    let expiresAt: Timestamp
}

/// The codes that are out. Each is good once.
final class DevIssuerCodes: Sendable {
    static let life = Duration.seconds(300)
    /// With more, the one that expires first goes.
    private static let limit = 1000

    private let grants = Mutex<[String: DevIssuerGrant]>([:])

    func put(_ grant: DevIssuerGrant, under code: String) {
        grants.withLock { grants in
            if grants.count >= Self.limit, let first = grants.min(by: { $0.value.expiresAt < $1.value.expiresAt }) {
                grants[first.key] = nil
            }
            grants[code] = grant
        }
    }

    /// Uses a code up; nil for one that is used up, has expired or never was.
    func take(_ code: String, now: Timestamp) -> DevIssuerGrant? {
        let grant = grants.withLock { $0.removeValue(forKey: code) }
        return grant.flatMap { now < $0.expiresAt ? $0 : nil }
    }
}
