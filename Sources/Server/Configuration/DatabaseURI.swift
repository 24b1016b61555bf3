import Text

/// The parts of a `postgresql://` URI, split where libpq splits them, to see whether that is what was meant and to hide passwords.
///
/// libpq takes nearly every text: of one that lacks its host, or whose password has an unescaped `/`, it makes a port of the
/// password, and a port is shown and logged.
struct DatabaseURI {
    private let scheme: String
    private let isASCII: Bool
    /// Up to the first slash.
    private let authority: Substring
    /// From the first slash up to the query.
    private let path: Substring
    private let query: Substring?

    /// Nil for a text that libpq does not take for a URI.
    init?(_ text: String) {
        guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else { return nil }
        self.scheme = scheme
        isASCII = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let rest = text.dropFirst(scheme.count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let front = rest[..<slash].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if front.count == 2 {
            (authority, path, query) = (front[0], "", rest[front[1].startIndex...])
        } else {
            let back = rest[slash...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            (authority, path, query) = (rest[..<slash], back.first ?? "", back.count == 2 ? back[1] : nil)
        }
    }

    /// Throws for a URI that libpq would read, but hardly as it was meant.
    func check() throws(SettingRefusal) {
        guard isASCII else { throw SettingRefusal("has a character that needs a %-escape in a URI") }
        let isMisplaced = authority.count(where: { $0 == "@" }) > 1 || path.contains("@") || (query?.contains("@") ?? false)
        guard !isMisplaced else {
            throw SettingRefusal(
                "has an @ where none belongs; user name, password and query need %-escapes for @, :, / and ?")
        }
        guard hosts.split(separator: ",").allSatisfy(Self.hasNumericPort) else {
            throw SettingRefusal("has a port that is not a number; maybe the host is missing")
        }
    }

    /// The URI without passwords. What is not known to be harmless is hidden too.
    var redacted: String {
        let parameters = query.map { query in
            "?" + query.split(separator: "&", omittingEmptySubsequences: false).map(Self.redacted).joined(separator: "&")
        }
        return scheme + redactedCredentials + hosts + path + (parameters ?? "")
    }

    private var hosts: Substring {
        authority.firstIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    }

    private var redactedCredentials: String {
        guard let at = authority.firstIndex(of: "@") else { return "" }
        let credentials = authority[..<at]
        guard let colon = credentials.firstIndex(of: ":") else { return credentials + "@" }
        return credentials[...colon] + SecretBytes.redaction + "@"
    }

    private static func hasNumericPort(_ host: Substring) -> Bool {
        let afterAddress = host.lastIndex(of: "]").map { host[$0...] } ?? host
        guard let colon = afterAddress.firstIndex(of: ":") else { return true }
        return afterAddress[colon...].dropFirst().utf8.allSatisfy(\.isDigit)
    }

    private static func redacted(_ parameter: Substring) -> String {
        let name = parameter.prefix { $0 != "=" }
        return DatabaseKeywords.isHarmless(String(name)) ? String(parameter) : "\(name)=\(SecretBytes.redaction)"
    }
}
