import Crypto
package import Text

/// What an access token that is about to be issued can say.
package struct AccessTokenFacts: Sendable {
    package let session: Session
    package let tokenID: UUID
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
}

/// Writes an access token as a client protocol wants it.
package typealias AccessTokenWriter = (AccessTokenFacts) throws(IdentityError) -> SecretString

/// An access token that has been issued in a session that was there already.
package struct FurtherAccessToken: Sendable {
    package let text: SecretString
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
}

extension Sessions {
    /// Issues one more access token in the grant with which a session began, written as a client protocol wants it. It can be introspected, and
    /// it ends with the session, like every other.
    /// - Throws: `IdentityError.invalidToken` when the session is over, or has no such grant; `unavailable`.
    package func issue(
        in session: Session, client: Client, _ write: (AccessTokenFacts) throws(IdentityError) -> SecretString
    ) async throws(IdentityError) -> FurtherAccessToken {
        guard let grant = session.grant(.first) else { throw .invalidToken }
        let now = session.time(at: system.now())
        let minted = try issuer.mint(for: grant, of: session, client: client, at: now, write)
        try await listing(minted, in: session.id, at: now) { () throws(IdentityError) in
            try await store.list(minted.issued, of: grant.id, in: session.id, at: now)
        }
        return FurtherAccessToken(text: minted.text, issuedAt: now, expiresAt: minted.issued.expiresAt)
    }

    /// The one access token of a session that keeps it for life, as 40 hexadecimal digits: computed, so that it can be given out again and
    /// is stored nowhere. Under another master key it is another one; the one before is found by its hash and goes on.
    package func lastingToken(of session: Session) -> SecretString {
        let mac = key.mac(.lastingToken, session.id, generation: 0, salt: session.salt)
        return SecretString(String(mac.hex.prefix(40)))
    }

    /// The cookie of a session.
    package func cookie(of session: Session, use: CookieUse) -> SecretString {
        SessionCookie(session.id, use: use, salt: session.saltOfCookies, key: key).text
    }

    /// What a page sends along with that cookie.
    package func formToken(of session: Session) -> SecretString {
        FormToken(session.id, salt: session.saltOfCookies, key: key).text
    }

    /// Whether a refresh token is one whose session lives, without using it.
    /// - Throws: `IdentityError.invalidRefreshToken`, `unavailable`.
    package func checkRefreshToken(_ token: SecretString) async throws(IdentityError) {
        guard case .live(_, _?, _) = try await holder(of: token) else { throw .invalidRefreshToken }
    }

    /// A session that lives.
    /// - Throws: `IdentityError.sessionNotFound`, `unavailable`.
    package func session(_ id: SessionID) async throws(IdentityError) -> Session {
        guard case .live(let session) = try await store.record(id, at: system.now()) else { throw .sessionNotFound }
        return session
    }
}
