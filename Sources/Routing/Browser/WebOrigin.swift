import HTTP

/// Where a page comes from (RFC 6454 §4): scheme, host and port, in the one spelling that browsers send.
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// In bytes; no host name is longer (RFC 1035 §2.3.4), and scheme and port are short.
    package static let maximumLength = 280

    package let text: String

    /// Reads `scheme://host[:port]` of an http or https URL and nothing behind it; `nil` for anything else, `null` included.
    /// Upper case is folded and the scheme's own port is left out.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let folded = text.lowercased()
        guard let scheme = Self.schemes.first(where: { folded.utf8.starts(with: $0.name.utf8) }) else { return nil }
        var authority = folded.utf8.dropFirst(scheme.name.utf8.count)
        guard !authority.isEmpty, authority.allSatisfy(Self.isAuthority) else { return nil }
        if let colon = authority.lastIndex(of: .ascii(":")), !authority[colon...].contains(.ascii("]")) {
            guard let port = Self.port(authority[colon...].dropFirst()) else { return nil }
            authority = authority[..<colon]
            guard !authority.isEmpty else { return nil }
            self.text = scheme.name + String(Substring(authority)) + (port == scheme.port ? "" : ":\(port)")
        } else {
            self.text = scheme.name + String(Substring(authority))
        }
    }

    /// That of the pages under an http or https URL.
    package init?(ofURL url: String) {
        let folded = url.lowercased()
        guard let scheme = Self.schemes.first(where: { folded.utf8.starts(with: $0.name.utf8) }) else { return nil }
        let rest = folded.utf8.dropFirst(scheme.name.utf8.count)
        let end = rest.firstIndex { $0 == .ascii("/") || $0 == .ascii("?") || $0 == .ascii("#") }
        self.init(scheme.name + String(Substring(rest[..<(end ?? rest.endIndex)])))
    }

    package var isSecure: Bool { text.utf8.starts(with: "https:".utf8) }

    package var description: String { text }

    private static let schemes: [(name: String, port: UInt16)] = [("https://", 443), ("http://", 80)]

    private static func isAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case .ascii("a")...(.ascii("z")), .ascii("0")...(.ascii("9")), .ascii("."), .ascii("-"), .ascii("_"), .ascii(":"),
            .ascii("["), .ascii("]"):
            true
        default: false
        }
    }

    private static func port(_ digits: Substring.UTF8View) -> UInt16? {
        guard (1...5).contains(digits.count), digits.allSatisfy({ (.ascii("0")...(.ascii("9"))).contains($0) }) else {
            return nil
        }
        return UInt16(Substring(digits))
    }
}

/// Whose pages may act for their users: those of this installation, and those elsewhere that an operator trusts.
package struct PageOrigins: Sendable {
    /// Of this installation's own pages.
    package let own: WebOrigin?
    /// Of pages elsewhere.
    package let trusted: Set<WebOrigin>

    package init(own: WebOrigin?, trusted: Set<WebOrigin>) {
        self.own = own
        self.trusted = trusted
    }

    func owns(_ origin: WebOrigin) -> Bool {
        origin == own || trusted.contains(origin)
    }

    package var crossSiteRule: CrossSiteRule { CrossSiteRule(self) }
}
