package import Identity
package import Routing
import Text

extension CookieAPI {
    /// What an operator decides about cookie sessions.
    package struct Policy: Sendable {
        /// Of a session that ends with the app.
        private let brief: SessionLifetime
        /// Of one that is to be remembered.
        private let remembered: SessionLifetime
        /// Whether `/touch` counts as use.
        let touchSlides: Bool
        /// Whether the app reaches us by https, and the cookie goes nowhere else.
        let isSecure: Bool
        private let sameSite: SetCookie.SameSite

        package init(
            brief: SessionLifetime, remembered: SessionLifetime, touchSlides: Bool, isSecure: Bool,
            sameSite: SetCookie.SameSite
        ) {
            self.brief = brief
            self.remembered = remembered
            self.touchSlides = touchSlides
            self.isSecure = isSecure
            self.sameSite = sameSite
        }

        /// Stable, and different from those of other servers that an app may talk to. The prefix makes browsers refuse one that another
        /// host has set; it demands https (RFC 6265bis §4.1.3.2).
        package var name: String { isSecure ? "__Host-sid" : "sid" }

        func terms(isRemembered: Bool, replacing replaced: SecretString?) -> CookieTerms {
            CookieTerms(use: .session, lifetime: isRemembered ? remembered : brief, replacing: replaced)
        }

        /// The cookie of a session that begins now. One that is remembered lasts as long as its session can: an end that moved with each
        /// use would delete the live cookie of an app that puts an older copy back.
        func cookie(_ session: CookieSession, isRemembered: Bool) -> SetCookie {
            cookie(
                session.cookie,
                isRemembered ? .until(session.session.absoluteEnd, now: session.session.createdAt) : .clientSession)
        }

        /// Makes the client forget the cookie.
        var deletion: SetCookie { cookie(SecretString(""), .clientSession).deletion }

        private func cookie(_ value: SecretString, _ life: SetCookie.Life) -> SetCookie {
            SetCookie(name, value, life: life, isSecure: isSecure, sameSite: sameSite)
        }
    }
}
