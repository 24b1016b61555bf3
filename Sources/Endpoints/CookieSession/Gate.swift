import HTTP
import Identity
import Routing
import Text

extension CookieAPI {
    /// Finds out whose session a request is part of, and whether the request may change anything.
    struct Gate: Sendable {
        let services: Services
        let policy: Policy

        /// The session cookie, if the request has something of its form. Of several of its name the first of that form counts: the others
        /// are left over from another server on the same host.
        func cookie(of request: Request) -> SecretString? {
            RequestCookies.values(named: policy.name, in: request.head).first { PresentedSessionCookie($0) != nil }
        }

        /// The session of a request that changes nothing.
        /// - Throws: `CookieAPI.Failure.unauthenticated`, `sessionExpired`; 503 when Redis is away, never 401.
        func session(of request: Request, slides: Bool = true) async throws(Failure) -> CookieSession {
            guard let cookie = cookie(of: request) else { throw .unauthenticated }
            return try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.sessions.session(of: cookie, use: .session, slides: slides)
            }
        }

        /// The session of a request that changes something.
        /// - Throws: also `CookieAPI.Failure.crossSite`.
        func session(changing request: Request, _ fields: Fields) async throws(Failure) -> CookieSession {
            let verdict = try verdict(request)
            let session = try await session(of: request)
            try check(request, fields, verdict, session)
            return session
        }

        /// - Throws: `CookieAPI.Failure.crossSite` for a request of another site's page.
        func verdict(_ request: Request) throws(Failure) -> CrossSiteRule.Verdict {
            let verdict = services.pages.crossSiteRule.verdict(request.head)
            guard verdict != .refused else { throw .crossSite }
            return verdict
        }

        /// A form must bring the session's token, and a token that is brought must be right.
        /// - Throws: `CookieAPI.Failure.crossSite`.
        func check(
            _ request: Request, _ fields: Fields, _ verdict: CrossSiteRule.Verdict, _ session: CookieSession
        ) throws(Failure) {
            let presented = request.head.values(named: "x-csrf-token").map { SecretString($0) } + fields.formTokens
            guard presented.allSatisfy({ session.formToken.matches($0) }) else { throw .crossSite }
            guard verdict != .form || !presented.isEmpty else { throw .crossSite }
        }

        static let scheme = SecurityScheme.cookie(
            "session", cookie: "sid", "The session cookie; where the issuer is reached by https its name is `__Host-sid`.")

        /// What any route that asks for a session can answer.
        static let refusals = [
            Failure.documented(.unauthorized, "unauthenticated", "There is no session cookie."),
            Failure.documented(.unauthorized, "session_expired", "The session is over, or the cookie was never good."),
        ]
    }
}
