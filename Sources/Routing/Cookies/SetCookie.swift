import HTTP
package import Text

/// A `Set-Cookie` field (RFC 6265 §4.1), always for the one host that sends it: there is no `Domain`.
package struct SetCookie: Sendable {
    /// Whether other sites' pages may send the cookie along (RFC 6265bis §4.1.2.7).
    package enum SameSite: String, Sendable, CaseIterable {
        case strict, lax, none

        fileprivate var text: String {
            switch self {
            case .strict: "Strict"
            case .lax: "Lax"
            case .none: "None"
            }
        }
    }

    /// How long the client keeps it.
    package enum Life: Equatable, Sendable {
        /// For as long as it runs.
        case clientSession
        case until(Timestamp, now: Timestamp)
        /// No longer: it is to be forgotten.
        case ended
    }

    package let name: String
    package let value: SecretString
    package let life: Life
    package let isSecure: Bool
    /// Whether scripts of a page cannot read it.
    package let isHTTPOnly: Bool
    package let sameSite: SameSite
    package let path: String

    package init(
        _ name: String, _ value: SecretString, life: Life, isSecure: Bool, isHTTPOnly: Bool = true,
        sameSite: SameSite = .lax, path: String = "/"
    ) {
        self.name = name
        self.value = value
        self.life = life
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.path = path
    }

    /// The same cookie, to be forgotten: what names it stays, or the client would keep the other one.
    package var deletion: SetCookie {
        SetCookie(
            name, SecretString(""), life: .ended, isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite, path: path)
    }

    /// The value of the field. Both ways of saying when it ends are given, for clients that know but one.
    package var fieldValue: String {
        var text = "\(name)=\(value.revealedText); Path=\(path)"
        switch life {
        case .clientSession: break
        case .until(let end, let now):
            // A second that has begun counts: a cookie for a day is not one for a day less a second.
            let (seconds, fraction) = end.duration(since: now).components
            text += "; Max-Age=\(max(0, seconds + (fraction > 0 ? 1 : 0))); Expires=\(end.httpDate)"
        case .ended: text += "; Max-Age=0; Expires=\(Timestamp(seconds: 0).httpDate)"
        }
        if isHTTPOnly { text += "; HttpOnly" }
        if isSecure { text += "; Secure" }
        return text + "; SameSite=\(sameSite.text)"
    }
}

extension ResponseFields {
    package mutating func append(_ cookie: SetCookie) {
        append("Set-Cookie", cookie.fieldValue)
    }
}
