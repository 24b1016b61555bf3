import HTTP
import Routing
import Text

extension RestAuth {
    /// The cookies of this API: what Django's session and CSRF middleware set, and the tokens of 7.x.
    enum Cookies {
        static let session = "sessionid"
        static let csrf = "csrftoken"

        private static let sessionLife = Duration.seconds(1_209_600)
        private static let csrfLife = Duration.seconds(31_449_600)

        /// What a sign-in sets.
        static func signedIn(
            _ cookie: SecretString, formToken: SecretString, until end: Timestamp, at now: Timestamp, _ options: Options
        ) -> [SetCookie] {
            [
                SetCookie(
                    session, cookie, life: .until(min(end, now.adding(sessionLife)), now: now), isSecure: options.isSecure),
                SetCookie(
                    csrf, formToken, life: .until(now.adding(csrfLife), now: now), isSecure: options.isSecure, isHTTPOnly: false),
            ]
        }

        /// Those of the tokens that have a name.
        static func tokens(
            access: (SecretString, until: Timestamp), refresh: (SecretString, until: Timestamp)?, at now: Timestamp,
            _ options: Options
        ) -> [SetCookie] {
            let all = [(options.tokenCookies.access, access), refresh.map { (options.tokenCookies.refresh, $0) }].compactMap(
                \.self)
            return all.filter { !$0.0.isEmpty }.map { name, token in
                SetCookie(
                    name, token.0, life: .until(token.until, now: now), isSecure: options.isSecure,
                    isHTTPOnly: options.tokenCookies.isHTTPOnly)
            }
        }

        /// What a sign-out takes back.
        static func signedOut(_ options: Options) -> [SetCookie] {
            [session, options.tokenCookies.access, options.tokenCookies.refresh].filter { !$0.isEmpty }.map { name in
                SetCookie(name, SecretString(""), life: .ended, isSecure: options.isSecure)
            }
        }

        /// The value of a cookie that has one.
        static func value(_ name: String, in head: RequestHead) -> SecretString? {
            guard !name.isEmpty else { return nil }
            return RequestCookies.values(named: name, in: head).first { !$0.isEmpty }
        }
    }
}

extension Response {
    func setting(_ cookies: [SetCookie]) -> Response {
        var copy = self
        for cookie in cookies { copy.fields.append(cookie) }
        return copy
    }
}
