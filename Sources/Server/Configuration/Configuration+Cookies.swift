package import Endpoints
import Identity
package import Routing

extension Configuration {
    /// Sessions that are held by a cookie.
    package struct Cookies: Sendable {
        /// After the last use, of a session that is not to be remembered.
        package var idleLifetime: Duration = .minutes(30)
        /// After the sign-in; fixed.
        package var absoluteLifetime: Duration = .hours(12)
        /// The same two of a session that is to be remembered.
        package var rememberedIdleLifetime: Duration = .days(14)
        package var rememberedLifetime: Duration = .days(90)
        /// Whether asking if a session lives counts as use.
        package var touchSlides = true
        /// Of pages that may act for their users, beside those under the issuer's own origin.
        package var trustedOrigins: Set<WebOrigin> = []
        package var sameSite = SetCookie.SameSite.lax

        package init() {}

        package func policy(issuer: String) -> CookieAPI.Policy {
            CookieAPI.Policy(
                brief: SessionLifetime(idle: idleLifetime, absolute: absoluteLifetime),
                remembered: SessionLifetime(idle: rememberedIdleLifetime, absolute: rememberedLifetime),
                touchSlides: touchSlides, isSecure: WebOrigin(ofURL: issuer)?.isSecure ?? false, sameSite: sameSite)
        }

        /// Whose pages may act for their users.
        package func pages(issuer: String) -> PageOrigins {
            PageOrigins(own: WebOrigin(ofURL: issuer), trusted: trustedOrigins)
        }
    }
}
