package import HTTP
package import Identity
package import Routing
import Text

/// The one session that a browser has with us: it signs the user in to every client that asks (OpenID Connect Core 1.0 §3.1.2.3).
///
/// It is an ordinary session that begins without a grant and is held by a cookie. What clients get from it are its grants: they end with it, and
/// it is listed and ended like any other.
package struct BrowserSessions: Sendable {
    /// What an operator decides about it.
    package struct Policy: Sendable {
        /// Of a session that ends with the browser.
        let brief: SessionLifetime
        /// Of one that is to be remembered.
        let remembered: SessionLifetime
        /// Whether browsers reach us by https, and the cookies go nowhere else.
        let isSecure: Bool

        package init(brief: SessionLifetime, remembered: SessionLifetime, isSecure: Bool) {
            self.brief = brief
            self.remembered = remembered
            self.isSecure = isSecure
        }

        /// The prefix makes browsers refuse a cookie that another host has set; it demands https (RFC 6265bis §4.1.3.2).
        func name(_ plain: String) -> String {
            isSecure ? "__Host-\(plain)" : plain
        }
    }

    private let sessions: Sessions
    /// As whom it begins.
    private let client: Client
    package let policy: Policy

    package init(sessions: Sessions, client: Client, policy: Policy) {
        self.sessions = sessions
        self.client = client
        self.policy = policy
    }

    /// The live session of the browser that asks, which counts as used by that; nil when it has none.
    /// - Throws: `IdentityError.unavailable`: that cannot be told.
    package func current(_ request: Request) async throws(IdentityError) -> CookieSession? {
        guard let cookie = cookie(of: request) else { return nil }
        do throws(IdentityError) {
            return try await sessions.session(of: cookie, use: .browser, slides: true)
        } catch .invalidToken {
            return nil
        } catch {
            throw error
        }
    }

    /// Begins a session for somebody who has just proved who they are, always a new one. The one that the browser had before ends.
    /// - Returns: the session, and the cookie that the browser keeps it by.
    /// - Throws: as `Sessions.begin`.
    package func begin(
        _ authentication: Authentication, isRemembered: Bool, for request: Request, caller: Caller
    ) async throws(IdentityError) -> (session: CookieSession, cookie: SetCookie) {
        let terms = CookieTerms(
            use: .browser, lifetime: isRemembered ? policy.remembered : policy.brief, replacing: cookie(of: request))
        let begun = try await sessions.begin(authentication, for: client, cookie: terms, caller: caller)
        let life =
            isRemembered
            ? SetCookie.Life.until(begun.session.absoluteEnd, now: begun.session.createdAt) : .clientSession
        return (begun, setCookie(begun.cookie, life))
    }

    /// Makes the browser forget the cookie.
    package var deletion: SetCookie { setCookie(SecretString(""), .clientSession).deletion }

    /// The session cookie, if the request has something of its form.
    private func cookie(of request: Request) -> SecretString? {
        RequestCookies.values(named: name, in: request.head).first { PresentedSessionCookie($0) != nil }
    }

    private var name: String { policy.name("kidoban_session") }

    /// Lax: clients send their users here by links and redirects, and the cookie has to come along.
    private func setCookie(_ value: SecretString, _ life: SetCookie.Life) -> SetCookie {
        SetCookie(name, value, life: life, isSecure: policy.isSecure, sameSite: .lax)
    }
}
