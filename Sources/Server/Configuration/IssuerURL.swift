import Networking

extension SettingFormat where Value == String {
    /// The issuer: an absolute URL that others append paths to and compare byte by byte (RFC 8414 §2).
    static var issuer: SettingFormat {
        SettingFormat(
            "an http or https URL of at most 512 bytes, without query, fragment or a slash at its end",
            parse: { text throws(SettingRefusal) in
                try IssuerURL.check(text)
                return text
            },
            render: { value, _ in value })
    }
}

/// What an issuer may look like (RFC 8414 §2), with `http` for development.
enum IssuerURL {
    static let maximumLength = 512

    static func check(_ text: String) throws(SettingRefusal) {
        guard text.utf8.count <= maximumLength else { throw SettingRefusal("is longer than \(maximumLength) bytes") }
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else {
            throw SettingRefusal("is not an http or https URL")
        }
        let rest = text.dropFirst(scheme.count)
        guard !rest.contains("?") else { throw SettingRefusal("has a query") }
        guard !rest.contains("#") else { throw SettingRefusal("has a fragment") }
        guard !rest.contains("@") else { throw SettingRefusal("has a user name or an @") }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        try checkAuthority(rest[..<slash])
        try checkPath(rest[slash...])
    }

    /// Whether nobody outside can reach it: `localhost` or a loopback address (RFC 6761 §6.3, RFC 1122 §3.2.1.3). For URLs that pass `check`.
    static func isOnThisMachine(_ text: String) -> Bool {
        let name = host(of: text)
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        return IPAddress(name)?.isLoopback ?? false
    }

    /// In lower case, without brackets. For URLs that pass `check`.
    static func host(of text: String) -> String {
        let authority = text.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" }
        let host = authority.first == "[" ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
        return host.lowercased()
    }

    private static func checkAuthority(_ authority: Substring) throws(SettingRefusal) {
        var host = authority
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            let port = authority[authority.index(after: colon)...]
            guard port.utf8.allSatisfy(\.isDigit), let number = UInt16(port), number > 0 else {
                throw SettingRefusal("has a port that is not a number from 1 to 65535")
            }
            host = authority[..<colon]
        }
        guard isHost(host) else { throw SettingRefusal("has no valid host") }
    }

    private static func isHost(_ host: Substring) -> Bool {
        if host.first == "[", host.last == "]" {
            return host.contains(":") && IPAddress(String(host.dropFirst().dropLast())) != nil
        }
        return !host.isEmpty && host.first != "." && host.first != "-"
            && host.utf8.allSatisfy { $0.isUnreserved && $0 != UInt8(ascii: "~") }
    }

    private static func checkPath(_ path: Substring) throws(SettingRefusal) {
        guard !path.isEmpty else { return }
        guard path.last != "/" else { throw SettingRefusal("ends with a slash") }
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard segments.allSatisfy(\.isPathSegment) else { throw SettingRefusal("has a path segment that is not allowed") }
    }
}

extension IPAddress {
    /// 127.0.0.0/8 or ::1 (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    fileprivate var isLoopback: Bool {
        switch self {
        case .v4(let address): address >> 24 == 127
        case .v6(let upper, let lower): upper == 0 && lower == 1
        }
    }
}
