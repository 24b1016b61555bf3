package import Text

/// Which of the clients that keep cookies a cookie is for. One for the one is none for the other, whatever name it is sent under.
package enum CookieUse: Sendable, CaseIterable {
    /// The cookie session API, for apps and web pages.
    case session
    /// Clients that speak the rest-auth protocol.
    case restAuth
    /// A browser at our own pages: single sign-on.
    case browser

    var macKind: SessionTokenKey.Kind {
        switch self {
        case .session: .cookie
        case .restAuth: .restAuthCookie
        case .browser: .browserCookie
        }
    }
}

/// On which terms a cookie session begins.
package struct CookieTerms: Sendable {
    package let use: CookieUse
    /// The session's own, instead of its client's.
    package let lifetime: SessionLifetime
    /// The cookie that the caller had before. It is void from then on, so that nobody who knows it profits from the sign-in.
    package let replaced: SecretString?
    /// Whether access tokens are to be issued in it (`Sessions.issue`).
    package let hasGrant: Bool
    /// What is remembered of the browser in which it begins (`Sessions.signOut(_:in:last:caller:)`); nil for none.
    package let browser: String?
    /// The client that has sent the user to sign in, if one has. What it had in the browser ends: it is about to get it anew.
    package let waiting: ClientID?

    package init(
        use: CookieUse, lifetime: SessionLifetime, replacing replaced: SecretString? = nil, hasGrant: Bool = false,
        browser: String? = nil, waiting: ClientID? = nil
    ) {
        self.hasGrant = hasGrant
        self.browser = browser
        self.waiting = waiting
        self.use = use
        self.lifetime = lifetime
        self.replaced = replaced
    }
}
