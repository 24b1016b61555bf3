import HTTP
import Identity
import Routing
import Text

/// Finds out whose session a request is part of, and whether the request may change anything.
struct CookieGate: Sendable {
    let services: Services
    let policy: CookiePolicy

    init(_ services: Services) {
        self.services = services
        policy = services.cookies
    }

    /// The session cookie, if the request has something of its form. Of several of its name the first of that form counts: the others
    /// are left over from another server on the same host.
    func cookie(of request: Request) -> SecretString? {
        RequestCookies.values(named: policy.name, in: request.head).first { PresentedSessionCookie($0) != nil }
    }

    /// The session of a request that changes nothing.
    /// - Throws: `CookieError.unauthenticated`, `sessionExpired`; 503 when Redis is away, never 401.
    func session(of request: Request, slides: Bool = true) async throws(CookieError) -> CookieSession {
        guard let cookie = cookie(of: request) else { throw .unauthenticated }
        return try await CookieError.translating { () throws(IdentityError) in
            try await services.sessions.session(of: cookie, use: .session, slides: slides)
        }
    }

    /// The session of a request that changes something.
    /// - Throws: also `CookieError.crossSite`.
    func session(changing request: Request, _ fields: CookieFields) async throws(CookieError) -> CookieSession {
        let verdict = try verdict(request)
        let session = try await session(of: request)
        try check(request, fields, verdict, session)
        return session
    }

    /// - Throws: `CookieError.crossSite` for a request of another site's page.
    func verdict(_ request: Request) throws(CookieError) -> CrossSiteRule.Verdict {
        let verdict = policy.origins.crossSiteRule.verdict(request.head)
        guard verdict != .refused else { throw .crossSite }
        return verdict
    }

    /// A form must bring the session's token, and a token that is brought must be right (cookie session contract §4.4 d).
    /// - Throws: `CookieError.crossSite`.
    func check(
        _ request: Request, _ fields: CookieFields, _ verdict: CrossSiteRule.Verdict, _ session: CookieSession
    ) throws(CookieError) {
        let presented = request.head.values(named: "x-csrf-token").map { SecretString($0) } + fields.formTokens
        guard presented.allSatisfy({ session.formToken.matches($0) }) else { throw .crossSite }
        guard verdict != .form || !presented.isEmpty else { throw .crossSite }
    }
}
