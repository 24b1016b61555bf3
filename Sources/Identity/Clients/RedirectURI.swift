import Text

/// Where an authorization response is sent (RFC 6749 §3.1.2): which URIs may be registered, and which one that is asked for is one of them.
///
/// The text is compared as it is. Nothing is decoded, folded or normalised: two texts that mean the same are two URIs.
package struct RedirectURI: Hashable, Sendable, CustomStringConvertible {
    /// What may be registered.
    package enum Rule: Sendable {
        /// `https`, and `http` on the machine itself, for development.
        case webPage
        /// Also a scheme of the app's own (RFC 8252 §7.1).
        case nativeApp
    }

    /// Why a text cannot be registered. The raw values end a sentence that begins with the name of the field.
    package enum Refusal: String, Error, CaseIterable {
        case tooLong = "is longer than 2000 bytes"
        case notURI = "has a character that no URI may have, such as a space, a backslash or a * for several"
        case fragment = "has a fragment, the part from # on"
        case scheme = "is not https; http is for 127.0.0.1, [::1] and localhost only"
        case nativeScheme =
            "is neither https nor of a scheme of the app's own with a dot in it, such as com.example.app:/callback; http is for 127.0.0.1, [::1] and localhost only"
        case userInformation = "has a user name or an @ before the host"
        case host = "has no valid host"
        case port = "has a port that is not a number from 1 to 65535"
        case dotSegment = "has a path with . or .. in it"
    }

    /// In bytes.
    package static let maximumLength = 2000

    package let text: String

    /// - Throws: `Refusal`.
    package init(_ text: String, _ rule: Rule) throws(Refusal) {
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
        guard !text.utf8.contains(UInt8(ascii: "#")) else { throw .fragment }
        guard Self.hasLegalCharacters(Array(text.utf8)) else { throw .notURI }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw Self.schemeRefusal(rule) }
        let (scheme, rest) = (String(text[..<colon]), text[text.utf8.index(after: colon)...])
        switch scheme {
        case "https", "http":
            let authority = try Self.authority(rest, rule)
            if scheme == "http", !Self.isOnThisMachine(authority.host) { throw Self.schemeRefusal(rule) }
        default:
            guard rule == .nativeApp, Self.isOwnScheme(scheme), !rest.isEmpty else { throw Self.schemeRefusal(rule) }
            guard !rest.hasPrefix("//") || !rest.dropFirst(2).prefix(while: { $0 != "/" && $0 != "?" }).contains("@") else {
                throw .userInformation
            }
        }
        guard Self.hasPlainPath(rest) else { throw .dotSegment }
        self.text = text
    }

    /// As it was stored; not checked again.
    package init(stored text: String) {
        self.text = text
    }

    package var description: String {
        text
    }

    /// Whether it is of an app's own scheme, which another app on the device can take too (RFC 8252 §8.6).
    var hasOwnScheme: Bool {
        !["https:", "http:"].contains { text.utf8.starts(with: $0.utf8) }
    }

    /// Whether this is what is asked for: the very same text or, of an address of the machine itself, the same but for the port, which the
    /// system chooses for an app anew each time (RFC 8252 §7.3).
    package func matches(_ presented: String) -> Bool {
        if text.hasSameBytes(as: presented) { return true }
        guard let mine = Self.loopback(text), let theirs = Self.loopback(presented) else { return false }
        return mine.address.hasSameBytes(as: theirs.address) && mine.rest.hasSameBytes(as: theirs.rest)
    }

    /// The parts of `http://127.0.0.1:port/…` or `http://[::1]:port/…` around the port; nil for anything else.
    private static func loopback(_ text: String) -> (address: String, rest: String)? {
        guard let address = ["http://127.0.0.1", "http://[::1]"].first(where: { text.utf8.starts(with: $0.utf8) }) else {
            return nil
        }
        var rest = text.utf8.dropFirst(address.utf8.count)
        if rest.first == UInt8(ascii: ":") {
            let port = rest.dropFirst().prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            guard isPort(Substring(port)) else { return nil }
            rest = rest.dropFirst(1 + port.count)
        }
        guard rest.isEmpty || rest.first == UInt8(ascii: "/") || rest.first == UInt8(ascii: "?") else { return nil }
        return (address, String(Substring(rest)))
    }

    private static func schemeRefusal(_ rule: Rule) -> Refusal {
        rule == .nativeApp ? .nativeScheme : .scheme
    }

    /// Of `//host:port/path`.
    private static func authority(_ rest: Substring, _ rule: Rule) throws(Refusal) -> (host: String, port: Substring?) {
        guard rest.hasPrefix("//") else { throw .host }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw .userInformation }
        var (host, port): (Substring, Substring?) = (authority, nil)
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            (host, port) = (authority[..<colon], authority[authority.index(after: colon)...])
        }
        guard isHost(host) else { throw .host }
        if let port, !isPort(port) { throw .port }
        return (String(host), port)
    }

    private static func isOnThisMachine(_ host: String) -> Bool {
        ["127.0.0.1", "[::1]", "localhost"].contains(host)
    }

    /// The characters of RFC 3986 §2 but the star, and each `%` with two hexadecimal digits after it that stand for no control character.
    private static func hasLegalCharacters(_ bytes: [UInt8]) -> Bool {
        guard bytes.allSatisfy({ Unicode.Scalar($0).isASCIILetterOrDigit || "-._~:/?[]@!$&'()+,;=%".utf8.contains($0) }) else {
            return false
        }
        return bytes.indices.filter { bytes[$0] == UInt8(ascii: "%") }.allSatisfy { index in
            guard bytes.count > index + 2,
                let byte = Hex.decode(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self))?.first
            else { return false }
            return byte >= 0x20 && byte != 0x7F
        }
    }

    private static func isHost(_ host: Substring) -> Bool {
        if host.first == "[" {
            return host.last == "]"
                && host.dropFirst().dropLast().utf8.allSatisfy {
                    Unicode.Scalar($0).properties.isASCIIHexDigit || $0 == UInt8(ascii: ":")
                }
                && host.contains(":")
        }
        let labels = host.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        return host.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != "-" && label.last != "-"
                    && label.allSatisfy { $0.isASCIILetterOrDigit || $0 == "-" }
            }
    }

    private static func isPort(_ port: Substring) -> Bool {
        (1...5).contains(port.utf8.count) && port.utf8.first != UInt8(ascii: "0")
            && port.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && UInt16(port) != nil
    }

    /// A reversed domain name, so that no two apps have the same by chance (RFC 8252 §7.1); `javascript` and the like have no dot.
    private static func isOwnScheme(_ scheme: String) -> Bool {
        let labels = scheme.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1
            && scheme.unicodeScalars.first.map { $0.isASCIILetterOrDigit && !("0"..."9").contains($0) } ?? false
            && labels.allSatisfy { label in
                !label.isEmpty && label.allSatisfy { $0.isASCIILetterOrDigit || $0 == "-" || $0 == "+" }
            }
    }

    /// Browsers take these segments out, and would go elsewhere than the text says.
    private static func hasPlainPath(_ rest: Substring) -> Bool {
        rest.prefix { $0 != "?" }.lowercased().replacing("%2e", with: ".").split(separator: "/")
            .allSatisfy { $0 != "." && $0 != ".." }
    }
}
