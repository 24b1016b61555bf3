import HTTP
import Routing
import Text

/// A page of ours: HTML without a script. Whatever text comes into it is escaped here.
struct Page {
    let language: AcceptedLanguage
    let look: PageLook
    private let title: String
    private var html: String
    /// Whose pictures it shows, as the policy lists them.
    private var imageSources: Set<String> = []
    /// What it loads out of sight.
    private var frameSources: Set<String> = []
    /// Where the browser goes by itself after some seconds.
    private var next: (location: String, seconds: Int)?
    /// Whether the address of the page is to be seen by nobody, ourselves included: that behind a link in a mail has a code in it. Such a page's
    /// forms say `Origin: null`.
    private let hidesAddress: Bool

    init(title: String, language: AcceptedLanguage, look: PageLook = .plain, hidesAddress: Bool = true) {
        self.language = language
        self.look = look
        self.title = title
        self.hidesAddress = hidesAddress
        html = "<h1>\(HTMLText.escaped(title))</h1>"
    }

    mutating func paragraph(_ text: String) {
        html += "<p>\(HTMLText.escaped(text))</p>"
    }

    /// What has gone wrong, which is read out at once.
    mutating func alert(_ text: String) {
        html += "<p role=\"alert\" id=\"problem\">\(HTMLText.escaped(text))</p>"
    }

    /// What has been done.
    mutating func status(_ text: String) {
        html += "<p role=\"status\">\(HTMLText.escaped(text))</p>"
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
        html += "<button class=\"main\">\(HTMLText.escaped(button))</button></form>"
    }

    /// A field that the form sends along.
    mutating func hidden(_ name: StaticString, _ value: String) {
        html += "<input type=\"hidden\" name=\"\(name)\" value=\"\(HTMLText.escaped(value))\">"
    }

    /// Whose password the form is about, for password managers.
    mutating func username(_ name: String) {
        guard !name.isEmpty else { return }
        html += "<input name=\"username\" autocomplete=\"username\" value=\"\(HTMLText.escaped(name))\" hidden readonly>"
    }

    /// A button that leads to another page.
    mutating func link(_ url: String, _ text: String) {
        html += "<a class=\"button\" href=\"\(HTMLText.escaped(url))\">\(HTMLText.escaped(text))</a>"
    }

    /// - Parameter isFaulty: whether the alert of the page is about it.
    mutating func passwordField(_ name: StaticString, _ label: String, hint: String? = nil, isFaulty: Bool) {
        let described = [isFaulty ? "problem" : nil, hint == nil ? nil : "hint"].compactMap(\.self).joined(separator: " ")
        html += "<label for=\"\(name)\">\(HTMLText.escaped(label))</label>"
        html += "<input type=\"password\" id=\"\(name)\" name=\"\(name)\" autocomplete=\"new-password\" required"
        if isFaulty { html += " aria-invalid=\"true\"" }
        if !described.isEmpty { html += " aria-describedby=\"\(described)\"" }
        html += ">"
        if let hint { html += "<p id=\"hint\" class=\"hint\">\(HTMLText.escaped(hint))</p>" }
    }

    /// Markup that is escaped already.
    mutating func append(_ markup: Markup) {
        html += markup.html
    }

    /// A picture from somewhere else.
    mutating func picture(_ url: String, alternative: String, kind: StaticString) {
        guard let source = WebOrigin(ofURL: url)?.text else { return }
        imageSources.insert(source)
        html += "<img class=\"\(kind)\" src=\"\(HTMLText.escaped(url))\" alt=\"\(HTMLText.escaped(alternative))\">"
    }

    /// Loads a page of somebody else's out of sight.
    mutating func frame(_ url: String) {
        guard let source = WebOrigin(ofURL: url)?.text else { return }
        frameSources.insert(source)
        html += "<iframe src=\"\(HTMLText.escaped(url))\" title=\"\" aria-hidden=\"true\"></iframe>"
    }

    mutating func goOn(to location: String, after seconds: Int) {
        next = (location, seconds)
    }

    /// No cache keeps it, and no address of it reaches another server.
    func response(_ status: Status, fields: ResponseFields = [:]) -> Response {
        var all = fields
        all.append("Cache-Control", "no-store")
        all.append("Vary", hidesAddress ? "Accept-Language" : "Accept-Language, Cookie")
        all.append("Content-Language", language.rawValue)
        all.append("Content-Security-Policy", policy)
        all.append("Referrer-Policy", hidesAddress ? "no-referrer" : "same-origin")
        all.append("X-Frame-Options", "DENY")
        return Response(status, contentType: "text/html; charset=utf-8", fields: all, body: Array(document.utf8))
    }

    /// Nothing is loaded but the one style, whose hash this has, and pictures and frames that the page names; no other page frames it. Where
    /// forms may go is left open on the pages that lead back to clients: Chromium holds a redirect after a form to that, too.
    private var policy: String {
        var policy = "default-src 'none'; style-src 'sha256-\(look.styleHash)'; frame-ancestors 'none'; base-uri 'none'"
        if hidesAddress { policy += "; form-action 'self'" }
        let images = imageSources.union([look.logo.flatMap { WebOrigin(ofURL: $0)?.text }].compactMap(\.self))
        if !images.isEmpty { policy += "; img-src " + images.sorted().joined(separator: " ") }
        if !frameSources.isEmpty { policy += "; frame-src " + frameSources.sorted().joined(separator: " ") }
        return policy
    }

    private var document: String {
        let name = HTMLText.escaped(look.name)
        var text = """
            <!doctype html><html lang="\(language.rawValue)"><head><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">
            """
        if let next { text += "<meta http-equiv=\"refresh\" content=\"\(next.seconds);url=\(HTMLText.escaped(next.location))\">" }
        text +=
            "<title>\(HTMLText.escaped(title))\(name.isEmpty ? "" : " · \(name)")</title><style>\(look.style)</style></head><body>"
        if let logo = look.logo {
            text += "<header><img src=\"\(HTMLText.escaped(logo))\" alt=\"\(name)\"></header>"
        } else if !name.isEmpty {
            text += "<header>\(name)</header>"
        }
        return text + "<main>\(html)</main></body></html>"
    }
}

/// A piece of HTML in which every text is escaped: it is made of constants and of `text`.
struct Markup: ExpressibleByStringInterpolation, Sendable {
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var html = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            html.reserveCapacity(literalCapacity + 32 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) {
            html += literal
        }

        /// Any text, escaped for the content of an element and for a value in double quotes.
        mutating func appendInterpolation(_ text: String) {
            html += HTMLText.escaped(text)
        }

        mutating func appendInterpolation(_ constant: StaticString) {
            html += constant.description
        }

        mutating func appendInterpolation(_ markup: Markup) {
            html += markup.html
        }

        mutating func appendInterpolation(_ number: Int) {
            html += number.description
        }
    }

    fileprivate(set) var html: String

    init(stringLiteral value: String) {
        html = value
    }

    init(stringInterpolation: StringInterpolation) {
        html = stringInterpolation.html
    }

    static func += (left: inout Markup, right: Markup) {
        left.html += right.html
    }

    static func + (left: Markup, right: Markup) -> Markup {
        var both = left
        both += right
        return both
    }
}
