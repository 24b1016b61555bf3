package import Endpoints
import Identity
package import Routing

extension Settings {
    static let cookies = Section(
        title: "Cookie sessions",
        settings: [
            Setting(
                "KIDOBAN_COOKIE_IDLE_LIFETIME", \.cookies.idleLifetime, .duration(.seconds(1) ... .days(365)),
                "How long a session held by a cookie lives after its last use."),
            Setting(
                "KIDOBAN_COOKIE_LIFETIME", \.cookies.absoluteLifetime, .duration(.seconds(1) ... .days(3650)),
                "How long at most. At least `KIDOBAN_COOKIE_IDLE_LIFETIME`."),
            Setting(
                "KIDOBAN_COOKIE_REMEMBERED_IDLE_LIFETIME", \.cookies.rememberedIdleLifetime,
                .duration(.seconds(1) ... .days(365)),
                "The same of a user who wants to be remembered: after the last use."),
            Setting(
                "KIDOBAN_COOKIE_REMEMBERED_LIFETIME", \.cookies.rememberedLifetime, .duration(.seconds(1) ... .days(3650)),
                "And at most. At least `KIDOBAN_COOKIE_REMEMBERED_IDLE_LIFETIME`."),
            Setting(
                "KIDOBAN_COOKIE_TOUCH_SLIDES", \.cookies.touchSlides, .flag,
                "Whether `/touch` counts as use."),
            Setting(
                "KIDOBAN_COOKIE_ORIGINS", \.cookies.trustedOrigins, .origins,
                "Other origins whose pages may act for their users and read answers, at every API for apps."),
            Setting(
                "KIDOBAN_COOKIE_SAME_SITE", \.cookies.sameSite, .choice([.strict, .lax, .none]),
                "The cookie's `SameSite`. `none` is for `KIDOBAN_COOKIE_ORIGINS` on another site, and needs https."),
        ])
}

extension SettingFormat where Value == Set<WebOrigin> {
    /// Where pages come from (RFC 6454).
    static var origins: SettingFormat {
        SettingFormat(
            "nothing, or origins such as https://www.example.com with commas between them", acceptsEmpty: true,
            parse: { text throws(SettingRefusal) in
                guard !text.isEmpty else { return [] }
                var origins: Set<WebOrigin> = []
                for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                    guard let origin = WebOrigin(part) else {
                        throw SettingRefusal("has a part that is no http or https origin")
                    }
                    origins.insert(origin)
                }
                return origins
            },
            render: { value, _ in value.map(\.text).sorted().joined(separator: ",") })
    }
}

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
