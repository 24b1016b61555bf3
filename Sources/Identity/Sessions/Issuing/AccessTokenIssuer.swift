import Crypto
import JOSE
import Text

/// Mints access tokens, as the client wants them: JWT (RFC 9068) or opaque. Both are looked up by hash, so both can be revoked.
package final class AccessTokenIssuer: Sendable {
    /// A token that has been minted, and what is to be stored of it.
    struct Minted {
        let text: SecretString
        let issued: IssuedAccessToken
        let record: [UInt8]
    }

    private let issuer: String
    /// Who the tokens are for, when nothing else is asked.
    package let audience: String
    private let keys: LoopSlot<KeyRing?>
    private let system: SystemContext

    package init(issuer: String, audience: String, keys: LoopSlot<KeyRing?>, system: SystemContext) {
        self.issuer = issuer
        self.audience = audience
        self.keys = keys
        self.system = system
    }

    /// - Throws: `IdentityError.unavailable` while there is no key.
    func checkReadiness() throws(IdentityError) {
        _ = try keys.current()
    }

    /// A token of `session` for `client`, not stored yet.
    /// - Parameters:
    ///   - leeway: how much longer than the client's tokens it lives.
    ///   - now: by the clock of the session's instants (`Session.time(at:)`), so that no copy's own clock dates a token.
    /// - Throws: `IdentityError.unavailable` while there is no key; `internalFault` when signing fails.
    func mint(for session: Session, client: Client, leeway: Duration = .zero, at now: Timestamp) throws(IdentityError) -> Minted {
        let expiresAt = client.sessionLifetime.accessTokenExpiry(
            lifetime: client.accessTokenLifetime + leeway, at: now, absoluteEnd: session.absoluteEnd)
        let tokenID = system.uuid(at: now)
        let text = try text(for: session, client: client, tokenID: tokenID, at: now, expiresAt: expiresAt)
        return minted(text, for: session, client: client, tokenID: tokenID, at: now, expiresAt: expiresAt)
    }

    /// The same, written by somebody else.
    func mint(
        for session: Session, client: Client, at now: Timestamp, _ write: (AccessTokenFacts) -> SecretString
    ) -> Minted {
        let expiresAt = client.sessionLifetime.accessTokenExpiry(
            lifetime: client.accessTokenLifetime, at: now, absoluteEnd: session.absoluteEnd)
        let tokenID = system.uuid(at: now)
        let text = write(AccessTokenFacts(session: session, tokenID: tokenID, issuedAt: now, expiresAt: expiresAt))
        return minted(text, for: session, client: client, tokenID: tokenID, at: now, expiresAt: expiresAt)
    }

    private func minted(
        _ text: SecretString, for session: Session, client: Client, tokenID: UUID, at now: Timestamp, expiresAt: Timestamp
    ) -> Minted {
        let record = IntrospectionRecord(
            token: .access(id: tokenID), issuer: issuer, audience: client.tokenAudience ?? audience, subject: session.userID,
            username: session.username, emailVerified: session.emailVerified, clientID: session.clientID, sessionID: session.id,
            issuedAt: now, expiresAt: expiresAt, scope: client.scope)
        let hash = AccessTokenHash(of: text.revealedText)
        return Minted(text: text, issued: IssuedAccessToken(hash: hash, expiresAt: expiresAt), record: record.bytes)
    }

    /// What introspection says of a refresh token that could be used now.
    func record(ofRefreshTokenIn session: Session, client: Client) -> [UInt8] {
        let expiresAt = min(session.lastUsedAt.adding(client.sessionLifetime.idle), session.absoluteEnd)
        return IntrospectionRecord(
            token: .refresh, issuer: issuer, audience: audience, subject: session.userID, username: session.username,
            emailVerified: session.emailVerified, clientID: client.id, sessionID: session.id, issuedAt: session.createdAt,
            expiresAt: expiresAt
        ).bytes
    }

    /// The claims of one of our JWTs by its signature alone; nil for anything else.
    func unrevokedClaims(_ token: String) -> JWTClaims? {
        guard let ring = keys.value else { return nil }
        return try? ring.claims(ofAccessToken: token)
    }

    /// What clients of the older kind read from the token.
    private static func additional(_ session: Session) -> JSONObject {
        var claims = JSONObject()
        claims["userId"] = .string(session.userID.description)
        return claims
    }

    private func text(
        for session: Session, client: Client, tokenID: UUID, at now: Timestamp, expiresAt: Timestamp
    ) throws(IdentityError) -> SecretString {
        guard let algorithm = client.accessTokenFormat.algorithm else {
            return OpaqueToken(random: system.random(OpaqueToken.randomByteCount)).text
        }
        guard let signer = try keys.current().signer(for: algorithm) else { throw .unavailable(retryAfter: .seconds(1)) }
        let claims = AccessTokenClaims(
            issuer: issuer, audience: client.tokenAudience ?? audience, subject: session.userID, clientID: client.id,
            tokenID: tokenID, issuedAt: now, expiresAt: expiresAt, authenticatedAt: session.authenticatedAt,
            sessionID: session.id, email: session.username, emailVerified: session.emailVerified, scope: client.scope,
            additional: Self.additional(session))
        do throws(JOSEError) {
            return SecretString(try signer.sign(claims.payload))
        } catch {
            throw .fault()
        }
    }
}
