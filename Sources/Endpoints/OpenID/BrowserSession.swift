import HTTP
import Identity
import Routing
import Text

/// The session of the browser that asks: single sign-on. Its cookie holds nothing but the token of a session without a grant, which is in the
/// list of devices like any other and ends like any other.
struct BrowserSession: Sendable {
    private let sessions: Sessions
    private let isSecure: Bool

    init(_ services: Services) {
        sessions = services.sessions
        isSecure = WebOrigin(ofURL: services.authorization.issuer)?.isSecure ?? false
    }

    /// The prefix makes browsers refuse one that another host has set; it demands https (RFC 6265bis §4.1.3.2).
    var name: String { isSecure ? "__Host-kidoban_session" : "kidoban_session" }

    /// The browser's session, which counts as used; nil when there is none that lives.
    /// - Throws: `IdentityError.unavailable`.
    func current(_ request: Request) async throws(IdentityError) -> CookieSession? {
        let cookies = RequestCookies.values(named: name, in: request.head)
        guard let cookie = cookies.first(where: { PresentedSessionCookie($0) != nil }) else { return nil }
        do throws(IdentityError) {
            return try await sessions.session(of: cookie, use: .browser, slides: true)
        } catch .invalidToken {
            return nil
        }
    }

    func cookie(of session: CookieSession) -> SetCookie {
        SetCookie(name, session.cookie, life: .clientSession, isSecure: isSecure, sameSite: .lax)
    }

    /// Makes the browser forget the cookie.
    var deletion: SetCookie {
        SetCookie(name, SecretString(""), life: .clientSession, isSecure: isSecure, sameSite: .lax).deletion
    }
}
