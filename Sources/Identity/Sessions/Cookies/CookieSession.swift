import Crypto
package import Text

/// A session that is held by a cookie, as it is now.
package struct CookieSession: Sendable {
    package let session: Session
    package let cookie: SecretString
    /// When it ends unless it is used; never after `session.absoluteEnd`.
    package let idleEnd: Timestamp
    /// What a form of the user's own pages sends along: it is bound to the session, and no other site can know it.
    package let formToken: FormToken

    init(_ session: Session, use: CookieUse, usedAt: Timestamp, key: SessionTokenKey) {
        self.session = session
        cookie = SessionCookie(session.id, use: use, salt: session.saltOfCookies, key: key).text
        idleEnd = session.idleEnd(usedAt: usedAt)
        formToken = FormToken(session.id, salt: session.saltOfCookies, key: key)
    }
}

/// The token by which a session's own pages are known from those of other sites.
package struct FormToken: Sendable {
    /// Those that hold, the one that is given out first; never empty.
    private let macs: [Digest]

    init(_ sessionID: SessionID, salt: SessionSalt, key: SessionTokenKey) {
        macs = key.macs(.formToken, sessionID, generation: SessionCookie.generation, salt: salt)
    }

    package var text: SecretString { SecretString(Base64URL.encode(macs[0].bytes)) }

    /// Takes the same time wherever the two differ.
    package func matches(_ text: SecretString) -> Bool {
        guard let presented = Base64URL.decode(text.revealedText).flatMap({ Digest($0) }) else { return false }
        return macs.contains { $0.matches(presented) }
    }
}

extension Session {
    var saltOfCookies: SessionSalt { cookie?.salt ?? salt }

    /// When it ends if it is not used after this instant.
    func idleEnd(usedAt instant: Timestamp) -> Timestamp {
        cookie?.idleLife.map { min(instant.adding($0), absoluteEnd) } ?? absoluteEnd
    }
}
