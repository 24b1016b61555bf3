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

    package let installation: Installation
    private let keys: LoopSlot<KeyRing?>
    private let system: SystemContext

    package init(issuer: String, audience: String, keys: LoopSlot<KeyRing?>, system: SystemContext) {
        installation = Installation(issuer: issuer, audience: audience)
        self.keys = keys
        self.system = system
    }

    /// - Throws: `IdentityError.unavailable` while there is no key.
    func checkReadiness() throws(IdentityError) {
        _ = try keys.current()
    }

    /// A token of a grant, not stored yet.
    /// - Parameters:
    ///   - leeway: how much longer than the client's tokens it lives.
    ///   - actors: who acts for the user with it, and before that.
    ///   - end: when it ends at the latest.
    ///   - now: by the clock of the session's instants (`Session.time(at:)`), so that no copy's own clock dates a token.
    /// - Throws: `IdentityError.unavailable` while there is no key; `internalFault` when signing fails.
    func mint(
        for grant: Grant, of session: Session, client: Client, leeway: Duration = .zero, actors: [ClientID] = [],
        end: Timestamp? = nil, at now: Timestamp
    ) throws(IdentityError) -> Minted {
        let record = record(for: grant, of: session, client, leeway: leeway, actors: actors, end: end, at: now)
        return minted(try text(record, client, additional: Self.additional(session)), record)
    }

    /// The same, written by somebody else.
    func mint(
        for grant: Grant, of session: Session, client: Client, at now: Timestamp,
        _ write: (AccessTokenFacts) throws(IdentityError) -> SecretString
    ) throws(IdentityError) -> Minted {
        let record = record(for: grant, of: session, client, leeway: .zero, at: now)
        let facts = AccessTokenFacts(
            session: session, tokenID: record.tokenID, issuedAt: record.issuedAt, expiresAt: record.expiresAt)
        return minted(try write(facts), record)
    }

    /// A token of a client that acts by itself, not stored yet.
    func mint(forClient client: Client, _ terms: GrantTerms, at now: Timestamp) throws(IdentityError) -> Minted {
        let record = AccessTokenRecord(
            subject: .client, clientID: client.id, tokenID: system.uuid(at: now), issuedAt: now,
            expiresAt: now.adding(client.accessTokenLifetime), audiences: audiences(terms.audiences, client),
            scopes: terms.scopes ?? client.scopes, confirmation: terms.confirmation)
        return minted(try text(record, client, additional: JSONObject()), record)
    }

    private func record(
        for grant: Grant, of session: Session, _ client: Client, leeway: Duration, actors: [ClientID] = [],
        end: Timestamp? = nil, at now: Timestamp
    ) -> AccessTokenRecord {
        let usual = client.sessionLifetime.accessTokenExpiry(
            lifetime: client.accessTokenLifetime + leeway, at: now, absoluteEnd: session.absoluteEnd)
        return AccessTokenRecord(
            subject: .user(
                session.userID, session.id, grant.id, session.owner, methods: session.methods,
                authenticatedAt: session.authenticatedAt),
            clientID: client.id, tokenID: system.uuid(at: now), issuedAt: now,
            expiresAt: end.map { min($0, usual) } ?? usual, audiences: audiences(grant.audiences, client),
            scopes: grant.scopes ?? client.scopes,
            confirmation: grant.confirmation, actors: actors)
    }

    /// Nil where it is the installation's own alone.
    private func audiences(_ wanted: [String]?, _ client: Client) -> [String]? {
        let audiences = wanted ?? client.tokenAudiences
        return audiences.isEmpty || audiences == [installation.audience] ? nil : audiences
    }

    private func minted(_ text: SecretString, _ record: AccessTokenRecord) -> Minted {
        let hash = AccessTokenHash(of: text.revealedText)
        return Minted(
            text: text, issued: IssuedAccessToken(hash: hash, expiresAt: record.expiresAt), record: record.bytes(in: installation)
        )
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
        _ record: AccessTokenRecord, _ client: Client, additional: JSONObject
    ) throws(IdentityError) -> SecretString {
        guard let algorithm = client.accessTokenFormat.algorithm else {
            return OpaqueToken(random: system.random(OpaqueToken.randomByteCount)).text
        }
        guard let signer = try keys.current().signer(for: algorithm) else { throw .unavailable(retryAfter: .seconds(1)) }
        do throws(JOSEError) {
            let claims = AccessTokenClaims(
                record, in: installation, isForOwnClient: client.isFirstParty, additional: additional)
            return SecretString(try signer.sign(claims.payload))
        } catch {
            throw .fault()
        }
    }
}
