import JOSE
import Text

/// Whom and which session a client wants to be signed out (OpenID Connect RP-Initiated Logout 1.0 §2, `id_token_hint`): one of our own id tokens,
/// whether or not it has expired.
package struct LogoutHint: Equatable, Sendable {
    package let clientID: String
    package let userID: UserID
    package let sessionID: String?

    /// - Returns: nil for what is no id token of ours.
    /// - Throws: `IdentityError.unavailable` while there are no keys.
    package init?(_ token: String, issuer: String, keys: LoopSlot<KeyRing?>) throws(IdentityError) {
        let ring = try keys.current()
        guard token.utf8.count <= 16_384, let claims = try? ring.claims(of: token, as: .idToken), claims.issuer == issuer,
            let user = claims.subject.flatMap({ UserID($0) }), let audience = claims.audience.first
        else { return nil }
        clientID = audience
        userID = user
        sessionID = claims["sid"]?.stringValue
    }
}
