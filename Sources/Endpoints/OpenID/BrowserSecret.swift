import Crypto
import HTTP
import Routing
import Text

/// By what we know a browser again before anybody has signed in: a random cookie, which nobody else's page can read or, where we are reached by
/// https, set. It opens nothing.
///
/// The forms of our pages carry what is made of it, so that no other site can send them (the double submit of OWASP's cheat sheet), and
/// a sign-in at a provider comes back to the browser in which it began or to none.
struct BrowserSecret: Sendable {
    private static let byteCount = 32

    let isNew: Bool
    private let bytes: [UInt8]

    /// That of the request; a new one if it has none of the right form.
    init(_ request: Request, _ browser: BrowserSession, random: @Sendable (Int) -> [UInt8]) {
        let presented = RequestCookies.values(named: Self.name(browser), in: request.head).lazy.compactMap { value in
            Base64URL.decode(value.revealedText).flatMap { $0.count == Self.byteCount ? $0 : nil }
        }
        isNew = presented.first == nil
        bytes = presented.first ?? random(Self.byteCount)
    }

    /// What a form carries. Who sees the page does not learn the cookie by it.
    var formToken: SecretString { SecretString(Base64URL.encode(digest("form").bytes)) }

    /// Takes the same time wherever the two differ.
    func matches(formToken presented: SecretString) -> Bool {
        guard let presented = Base64URL.decode(presented.revealedText).flatMap({ Digest($0) }) else { return false }
        return digest("form").matches(presented)
    }

    /// What is remembered of the browser in which something has begun.
    var binding: String { digest("binding").hex }

    /// It goes with the browser, so that what is open in it when it closes can be sent no more; beside a session that stays, with that.
    func cookie(_ browser: BrowserSession, life: SetCookie.Life = .clientSession) -> SetCookie {
        SetCookie(
            Self.name(browser), SecretString(Base64URL.encode(bytes)), life: life, isSecure: browser.isSecure, sameSite: .lax)
    }

    private func digest(_ purpose: StaticString) -> Digest {
        SHA256.hash("kidoban/browser/\(purpose):\(Base64URL.encode(bytes))")
    }

    private static func name(_ browser: BrowserSession) -> String { browser.cookieName("kidoban_browser") }
}
