package import Text

/// Where mail is handed over, as a URL says it: `smtp://` for STARTTLS, `smtps://` for TLS from the start (RFC 8314).
package struct SMTPURL: Sendable, Equatable {
    package let host: String
    package let port: UInt16
    /// Whether TLS comes first of all.
    package let isSecure: Bool
    package let username: String?
    private let secret: SecretString?

    /// Empty without a user name.
    package var password: SecretString { secret ?? SecretString("") }

    /// RFC 6409 §3.1 and RFC 8314 §7.3.
    private static let standardPorts: (plain: UInt16, secure: UInt16) = (587, 465)

    init(_ text: String) throws(SettingRefusal) {
        let rest: Substring
        if text.hasPrefix("smtps://") {
            (isSecure, rest) = (true, text.dropFirst("smtps://".count))
        } else if text.hasPrefix("smtp://") {
            (isSecure, rest) = (false, text.dropFirst("smtp://".count))
        } else {
            throw SettingRefusal("begins neither with smtp:// nor with smtps://")
        }
        let authority = rest.last == "/" ? rest.dropLast() : rest
        let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = parts.last else {
            throw SettingRefusal("has more than one @; user name and password need %-escapes for @, :, / and %")
        }
        (username, secret) = try parts.count == 2 ? Self.credentials(parts[0]) : (nil, nil)
        (host, port) = try Self.address(address, standard: isSecure ? Self.standardPorts.secure : Self.standardPorts.plain)
    }

    /// Whether the connection does not leave this machine.
    var isLoopback: Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    /// The URL that leads there, without what is secret.
    var redacted: String {
        let credentials = username == nil ? "" : "\(SecretBytes.redaction):\(SecretBytes.redaction)@"
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "smtps" : "smtp")://\(credentials)\(name):\(port)"
    }

    package static func == (left: SMTPURL, right: SMTPURL) -> Bool {
        left.redacted == right.redacted && left.username == right.username
            && left.password.revealedText == right.password.revealedText
    }

    private static func credentials(_ text: Substring) throws(SettingRefusal) -> (String, SecretString) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let username = decoded(parts[0]), let password = decoded(parts[1]), !username.isEmpty,
            !password.isEmpty
        else {
            throw SettingRefusal("has no user name and password with a colon between them, in which @, :, / and % are %-escaped")
        }
        return (username, SecretString(password))
    }

    private static func address(_ text: Substring, standard: UInt16) throws(SettingRefusal) -> (String, UInt16) {
        var (host, port) = (text, Substring(""))
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw SettingRefusal("has no ] after the address") }
            host = text[text.index(after: text.startIndex)..<end]
            port = text[text.index(after: end)...]
            guard host.utf8.allSatisfy({ $0.isUnreserved || $0 == UInt8(ascii: ":") }), port.isEmpty || port.hasPrefix(":") else {
                throw SettingRefusal("has something after the address that is no port")
            }
        } else {
            let colon = text.firstIndex(of: ":") ?? text.endIndex
            (host, port) = (text[..<colon], text[colon...])
            guard host.utf8.allSatisfy(\.isUnreserved) else { throw SettingRefusal("has a character that no host has") }
        }
        guard !host.isEmpty else { throw SettingRefusal("has no host") }
        guard !port.isEmpty else { return (String(host), standard) }
        guard let number = UInt16(port.dropFirst()), number > 0, port.dropFirst().utf8.allSatisfy(\.isDigit) else {
            throw SettingRefusal("has a port that is none")
        }
        return (String(host), number)
    }

    /// With its %-escapes resolved (RFC 3986 §2.1); nil for those that are none, for characters that need one, and for what is no text
    /// or has control characters.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let value = Hex.decode(String(Substring(rest.prefix(2)))), value.count == 1 else { return nil }
                rest = rest.dropFirst(2)
                bytes += value
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return nil
            default: bytes.append(byte)
            }
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
