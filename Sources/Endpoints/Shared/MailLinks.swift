package import Text

/// The links in mails, as configured. Nothing that a request says has a part in them.
enum LinkTemplate {
    /// The template with what stands in braces filled in; neither uid nor code has a character that a URL would escape.
    static func filled(_ template: String, _ values: [(name: String, value: String)]) -> SecretString {
        var text = Substring(template)
        var link = ""
        while let brace = text.firstIndex(of: "{") {
            link += text[..<brace]
            text = text[brace...]
            guard let (name, value) = values.first(where: { text.hasPrefix($0.name) }) else {
                link.append(text.removeFirst())
                continue
            }
            link += value
            text = text.dropFirst(name.count)
        }
        return SecretString(link + text)
    }
}

/// Where the pages behind the links in mails are, below their API's prefix. Mails of other APIs lead there too.
package enum PagePath {
    static let password = "/account/password"
    static let email = "/account/email"
    static let undo = "/account/undo"
    static let address = "/account/address"

    /// Where a change of the ways into an account is undone.
    package static func undoLink(site: String, prefix: String, _ code: SecretString) -> SecretString {
        SecretString("\(site)\(prefix)\(undo)?code=\(code.revealedText)")
    }
}
