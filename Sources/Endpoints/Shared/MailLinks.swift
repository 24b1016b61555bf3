package import Text

/// The links in mails, as configured. Nothing that a request says has a part in them.
enum LinkTemplate {
    /// The template with what stands in braces filled in; neither uid nor code has a character that a URL would escape.
    static func filled(_ template: String, _ values: [(name: String, value: String)]) -> SecretString {
        SecretString(template.filling(values))
    }
}

extension String {
    /// With the placeholders filled in, which are named with their braces. Other braces, and those of a value, stand for themselves.
    func filling(_ values: [(name: String, value: String)]) -> String {
        var rest = Substring(self)
        var filled = ""
        while let brace = rest.firstIndex(of: "{") {
            filled += rest[..<brace]
            rest = rest[brace...]
            guard let (name, value) = values.first(where: { rest.hasPrefix($0.name) }) else {
                filled.append(rest.removeFirst())
                continue
            }
            filled += value
            rest = rest.dropFirst(name.count)
        }
        return filled + rest
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
