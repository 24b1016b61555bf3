package import Text

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
