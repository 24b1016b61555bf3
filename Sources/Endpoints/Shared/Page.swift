import HTTP
import Text

/// A page of ours: HTML without a script. Whatever text comes into it is escaped here.
struct Page {
    /// Nothing is loaded but the one style, whose hash this is; no other page frames it or is sent its form.
    static let policy =
        "default-src 'none'; style-src 'sha256-\(styleHash)'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    /// SHA-256 of `style` in base64; a test compares.
    static let styleHash = "FWwzpvc63FLNdGLLXEshYo/mRvQNlxPGKJKJ1dglkuA="
    static let style = """
        :root{color-scheme:light dark}\
        body{font:1.0625rem/1.6 system-ui,sans-serif;max-width:32rem;margin:0 auto;padding:2rem 1rem}\
        h1{font-size:1.5rem;line-height:1.3}\
        label{display:block;font-weight:600;margin-top:1rem}\
        input,button{font:inherit;box-sizing:border-box;width:100%;padding:.625rem;border:1px solid;border-radius:.375rem}\
        button{margin-top:1.5rem;font-weight:600;cursor:pointer}\
        :focus-visible{outline:3px solid LinkText;outline-offset:2px}\
        [role=alert]{border-left:.375rem solid #c00;padding-left:.75rem}
        """

    private let language: AcceptedLanguage
    private var html: String

    init(title: String, language: AcceptedLanguage) {
        self.language = language
        let title = HTMLText.escaped(title)
        html = """
            <!doctype html><html lang="\(language.rawValue)"><head><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">\
            <title>\(title)</title><style>\(Self.style)</style></head><body><main><h1>\(title)</h1>
            """
    }

    mutating func paragraph(_ text: String) {
        html += "<p>\(HTMLText.escaped(text))</p>"
    }

    /// What has gone wrong, which is read out at once.
    mutating func alert(_ text: String) {
        html += "<p role=\"alert\" id=\"problem\">\(HTMLText.escaped(text))</p>"
    }

    /// A form that posts the code, with what `fields` adds.
    /// - Parameter action: where to, relative to the page: `?` is the page's own address without its query, so that the code is not in the
    ///   address of what follows.
    mutating func form(
        code: SecretString, button: String, to action: StaticString = "?", fields: (inout Page) -> Void = { _ in }
    ) {
        html +=
            "<form method=\"post\" action=\"\(action)\"><input type=\"hidden\" name=\"code\" value=\"\(HTMLText.escaped(code.revealedText))\">"
        fields(&self)
        html += "<button>\(HTMLText.escaped(button))</button></form>"
    }

    /// A field that the form sends along.
    mutating func hidden(_ name: StaticString, _ value: String) {
        html += "<input type=\"hidden\" name=\"\(name)\" value=\"\(HTMLText.escaped(value))\">"
    }

    /// - Parameter isFaulty: whether the alert of the page is about it.
    mutating func passwordField(_ name: StaticString, _ label: String, hint: String? = nil, isFaulty: Bool) {
        let described = [isFaulty ? "problem" : nil, hint == nil ? nil : "hint"].compactMap(\.self).joined(separator: " ")
        html += "<label for=\"\(name)\">\(HTMLText.escaped(label))</label>"
        html += "<input type=\"password\" id=\"\(name)\" name=\"\(name)\" autocomplete=\"new-password\" required"
        if isFaulty { html += " aria-invalid=\"true\"" }
        if !described.isEmpty { html += " aria-describedby=\"\(described)\"" }
        html += ">"
        if let hint { html += "<p id=\"hint\">\(HTMLText.escaped(hint))</p>" }
    }

    /// No cache keeps it, and no address of it reaches another server.
    func response(_ status: Status, fields: ResponseFields = [:]) -> Response {
        var all = fields
        all.append("Cache-Control", "no-store")
        all.append("Vary", "Accept-Language")
        all.append("Content-Language", language.rawValue)
        all.append("Content-Security-Policy", Self.policy)
        all.append("Referrer-Policy", "no-referrer")
        all.append("X-Frame-Options", "DENY")
        return Response(
            status, contentType: "text/html; charset=utf-8", fields: all, body: Array((html + "</main></body></html>").utf8))
    }
}
