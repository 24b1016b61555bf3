import HTTP
import Identity
import Routing
import Text

/// What a page says once after something has been done: it comes by a cookie, so that neither a reload nor the way back does it again.
struct Notice: Sendable {
    static let allowed: Set<SignInText> = [
        .nameSaved, .confirmationSent, .passwordSaved, .deviceEnded, .othersEnded, .linked, .unlinked, .withdrawn, .lastWayIn,
        .providerRefused, .identityTaken, .deviceAllowed, .deviceDenied,
    ]
    private static let problems: Set<SignInText> = [.lastWayIn, .providerRefused, .identityTaken]

    let text: SignInText
    /// A provider or a client.
    var subject = ""

    /// Whether nothing has come of what the user wanted.
    var isProblem: Bool { Self.problems.contains(text) }

    /// To the page that says it.
    func response(_ visit: Visit, at page: Destination = .account) -> Response {
        var fields: ResponseFields = [:]
        fields.append(cookie(visit, life: .clientSession))
        return visit.goOn(to: page.text, fields: fields)
    }

    /// That of the request, if it has one.
    init?(_ visit: Visit) {
        guard let value = RequestCookies.values(named: Self.name(visit), in: visit.request.head).first?.revealedText else {
            return nil
        }
        let parts = value.split(separator: ".", maxSplits: 1)
        guard let text = parts.first.flatMap({ SignInText(rawValue: String($0)) }), Self.allowed.contains(text) else {
            return nil
        }
        self.init(text, parts.count > 1 ? String(parts[1]) : "")
    }

    init(_ text: SignInText, _ subject: String = "") {
        self.text = text
        self.subject = subject
    }

    /// Takes it away when it has been shown.
    static func deletion(_ visit: Visit) -> SetCookie {
        Notice(.nameSaved).cookie(visit, life: .ended)
    }

    private func cookie(_ visit: Visit, life: SetCookie.Life) -> SetCookie {
        SetCookie(
            Self.name(visit), SecretString(life == .ended ? "" : "\(text.rawValue).\(subject)"), life: life,
            isSecure: visit.browser.isSecure, sameSite: .lax)
    }

    private static func name(_ visit: Visit) -> String { visit.browser.cookieName("kidoban_notice") }
}
