import Identity
import Networking

extension SettingFormat where Value == SocketAddress {
    /// Where to listen.
    static var address: SettingFormat {
        SettingFormat(
            "an IP address and a port, such as 127.0.0.1:8080, [::1]:8080 or :8080",
            parse: { text throws(SettingRefusal) in
                guard let address = SocketAddress(listening: text) else {
                    throw SettingRefusal("is not an IP address and a port")
                }
                return address
            },
            render: { value, _ in value.description })
    }
}

extension SettingFormat where Value == [String] {
    /// Scopes as tokens name them (RFC 6749 §3.3).
    static var scopes: SettingFormat {
        SettingFormat(
            "nothing, or scopes with a space between them, such as `openid email`: visible ASCII without quotes and backslashes",
            acceptsEmpty: true,
            parse: { text throws(SettingRefusal) in
                guard text.utf8.count <= 512 else { throw SettingRefusal("is longer than 512 bytes") }
                guard text.first != " ", text.last != " " else { throw SettingRefusal("has a blank at its beginning or end") }
                let scopes = text.split(separator: " ").map(String.init)
                guard scopes.allSatisfy(\.isScope) else { throw SettingRefusal("has a character that is not allowed") }
                guard Set(scopes).count == scopes.count else { throw SettingRefusal("names a scope twice") }
                return scopes
            },
            render: { value, _ in value.joined(separator: " ") })
    }
}

extension SettingFormat where Value == String {
    /// The issuer: an absolute URL that others append paths to and compare byte by byte (RFC 8414 §2).
    static var issuer: SettingFormat {
        SettingFormat(
            "an http or https URL of at most 512 bytes without query, fragment or a slash at its end, such as https://id.example.com",
            parse: { text throws(SettingRefusal) in
                try IssuerURL.check(text)
                return text
            },
            render: { value, _ in value })
    }

    /// What a token is for (RFC 7519 §4.1.3).
    static var audience: SettingFormat {
        SettingFormat(
            "1 to 255 visible ASCII characters, none of them a quote or a backslash",
            parse: { text throws(SettingRefusal) in
                guard text.isAudience else { throw SettingRefusal("is too long or has a character that is not allowed") }
                guard text != Client.anyAudience else { throw SettingRefusal("stands for every audience") }
                return text
            },
            render: { value, _ in value })
    }

    /// What the paths of an API start with.
    static var pathPrefix: SettingFormat {
        SettingFormat(
            "nothing, or a path of at most 128 bytes such as /api/v1: letters, digits and -._~, no slash at its end",
            acceptsEmpty: true,
            parse: { text throws(SettingRefusal) in
                guard !text.isEmpty else { return "" }
                guard text.utf8.count <= 128 else { throw SettingRefusal("is longer than 128 bytes") }
                guard text.hasPrefix("/") else { throw SettingRefusal("does not begin with a slash") }
                let segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
                guard segments.allSatisfy(\.isPathSegment) else { throw SettingRefusal("has a segment that is not allowed") }
                return text
            },
            render: { value, _ in value })
    }

    /// Where requests to other servers go first.
    static var proxy: SettingFormat {
        SettingFormat(
            "`http://` and a host and port, such as http://proxy.example.com:3128, without user name and password",
            parse: { text throws(SettingRefusal) in
                guard text.utf8.starts(with: "http://".utf8) else { throw SettingRefusal("does not begin with http://") }
                let address = text.dropFirst(7)
                guard let colon = address.lastIndex(of: ":"), UInt16(address[address.index(after: colon)...]) ?? 0 > 0 else {
                    throw SettingRefusal("has no port")
                }
                let host = address[..<colon]
                guard !host.isEmpty, host.utf8.allSatisfy({ $0.isUnreserved || [0x3A, 0x5B, 0x5D].contains($0) }) else {
                    throw SettingRefusal("has a character that no host has")
                }
                return text
            },
            render: { value, _ in value })
    }

    /// The path of a file.
    static var path: SettingFormat {
        SettingFormat(
            "the path of a file",
            parse: { text throws(SettingRefusal) in text },
            render: { value, _ in value.printable })
    }
}
