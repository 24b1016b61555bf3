import Crypto
import HTTP
import Identity
import Routing
import Text

/// The answer to an authorization request as it reaches the client (RFC 6749 §4.1.2, RFC 9207, OAuth 2.0 Form Post Response Mode).
enum AuthorizationResponse {
    /// - Parameters:
    ///   - fields: `code`, or `error` and what goes with it.
    ///   - words: for a page, where it takes one.
    static func make(
        _ fields: [(name: String, value: String)], to back: AuthorizationCheck.Return, issuer: String,
        _ words: @autoclosure () -> SignInWords
    ) -> Response {
        let state = back.state.map { [(name: "state", value: $0)] } ?? []
        let all = fields + state + [(name: "iss", value: issuer)]
        switch back.mode {
        case .query: return redirect(all, to: back.redirectURI)
        case .formPost: return form(all, to: back.redirectURI, words())
        }
    }

    /// 303, so that the browser comes with a GET whatever it sent us (RFC 9700 §4.12).
    private static func redirect(_ fields: [(name: String, value: String)], to uri: String) -> Response {
        let separator = !uri.contains("?") ? "?" : uri.hasSuffix("?") || uri.hasSuffix("&") ? "" : "&"
        return .empty(
            .seeOther,
            fields: [
                "Location": uri + separator + PercentEncoding.encode(fields: fields), "Cache-Control": "no-store",
                "Referrer-Policy": "no-referrer",
            ])
    }

    private static let script = "document.forms[0].submit()"

    /// Nothing but this script runs. There is no `form-action`: browsers would hold redirections of the client's to it.
    private static let policy =
        "default-src 'none'; script-src 'sha256-\(Base64.encode(SHA256.hash(script).bytes))'; base-uri 'none'; frame-ancestors 'none'"

    /// Without scripts it is a page with a button.
    private static func form(_ fields: [(name: String, value: String)], to uri: String, _ words: SignInWords) -> Response {
        let label = HTMLText.escaped(words[.deviceButton])
        let inputs = fields.map {
            "<input type=\"hidden\" name=\"\($0.name)\" value=\"\(HTMLText.escaped($0.value))\">"
        }.joined()
        let html = """
            <!doctype html><html lang="\(words.language.rawValue)"><head><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">\
            <title>\(label)</title><style>\(words.look.style)</style></head><body><main>\
            <form method="post" action="\(HTMLText.escaped(uri))">\(inputs)<noscript><button class="main">\(label)</button></noscript></form>\
            </main><script>\(script)</script></body></html>
            """
        return Response(
            .ok, contentType: "text/html; charset=utf-8",
            fields: [
                "Cache-Control": "no-store", "Pragma": "no-cache",
                "Content-Security-Policy": "\(policy); style-src 'sha256-\(words.look.styleHash)'",
                "Referrer-Policy": "strict-origin", "X-Frame-Options": "DENY",
            ], body: Array(html.utf8))
    }
}
