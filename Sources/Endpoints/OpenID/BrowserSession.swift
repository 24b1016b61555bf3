import HTTP
import Identity
import Routing
import Text

/// The session of the browser that asks: single sign-on. Its cookie holds nothing but the token of a session without a grant, which is in the
/// list of devices like any other and ends like any other.
struct BrowserSession: Sendable {
    private let sessions: Sessions
    /// As whom it begins.
    private let client: Client
    /// Whether browsers reach us by https, and the cookies go nowhere else.
    let isSecure: Bool

    init(_ services: Services) {
        sessions = services.sessions
        client = services.app
        isSecure = WebOrigin(ofURL: services.authorization.issuer)?.isSecure ?? false
    }

    /// The prefix makes browsers refuse one that another host has set; it demands https (RFC 6265bis §4.1.3.2).
    func cookieName(_ plain: String) -> String { isSecure ? "__Host-\(plain)" : plain }

    private var name: String { cookieName("kidoban_session") }

    /// The browser's session, which counts as used; nil when there is none that lives.
    /// - Throws: `IdentityError.unavailable`.
    func current(_ request: Request) async throws(IdentityError) -> CookieSession? {
        guard let cookie = cookie(of: request) else { return nil }
        do throws(IdentityError) {
            return try await sessions.session(of: cookie, use: .browser, slides: true)
        } catch .invalidToken {
            return nil
        }
    }

    /// The session that a sign-out of the browser is to end, though its cookie has not been used for too long; nil for none.
    /// - Throws: `IdentityError.unavailable`.
    func sessionToSignOut(
        _ request: Request, of secret: BrowserSecret, caller: Caller
    ) async throws(IdentityError) -> CookieSession? {
        guard let cookie = cookie(of: request) else { return nil }
        return try await sessions.sessionToSignOut(of: cookie, use: .browser, in: secret.binding, caller: caller)
    }

    /// Whose session the browser's was that is over; nil for none.
    /// - Throws: `IdentityError.unavailable`.
    func formerUser(_ request: Request) async throws(IdentityError) -> UserID? {
        guard let cookie = cookie(of: request) else { return nil }
        return try await sessions.formerUser(of: cookie, use: .browser)
    }

    /// Begins a session for somebody who has just proved who they are, always a new one. Of the one that the browser had before only that is left which
    /// other clients of the same user got.
    /// - Parameters:
    ///   - isRemembered: whether the cookie outlives the browser.
    ///   - secret: the browser's.
    ///   - client: that has sent the user to sign in; nil for none.
    /// - Throws: as `Sessions.begin`.
    func begin(
        _ authentication: Authentication, life: SessionLifetime, isRemembered: Bool, for request: Request,
        of secret: BrowserSecret, waiting client: ClientID?, caller: Caller
    ) async throws(IdentityError) -> (session: CookieSession, cookies: [SetCookie]) {
        let terms = CookieTerms(
            use: .browser, lifetime: life, replacing: cookie(of: request), browser: secret.binding, waiting: client)
        let begun = try await sessions.beginWithCookie(authentication, for: self.client, terms: terms, caller: caller)
        guard isRemembered else { return (begun, [setCookie(begun.cookie, .clientSession)]) }
        let life = SetCookie.Life.until(begun.session.absoluteEnd, now: begun.session.createdAt)
        // By the browser's secret signing out finds the sessions of its other tabs.
        return (begun, [setCookie(begun.cookie, life), secret.cookie(self, life: life)])
    }

    /// Makes the browser forget the cookie.
    var deletion: SetCookie {
        setCookie(SecretString(""), .clientSession).deletion
    }

    /// The session cookie, if the request has something of its form.
    private func cookie(of request: Request) -> SecretString? {
        RequestCookies.values(named: name, in: request.head).first { PresentedSessionCookie($0) != nil }
    }

    /// Lax: clients send their users here by links and redirects, and the cookie has to come along.
    private func setCookie(_ value: SecretString, _ life: SetCookie.Life) -> SetCookie {
        SetCookie(name, value, life: life, isSecure: isSecure, sameSite: .lax)
    }
}
