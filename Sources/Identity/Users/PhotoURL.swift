/// Where a user's picture is: an `https` URL (RFC 3986 §3) that we hand on and never fetch.
///
/// At most 2048 bytes, ASCII, with a host of letters, digits, hyphens and dots, an optional port, and no user information (which
/// makes a URL look as if it led elsewhere).
package struct PhotoURL: Equatable, Sendable, CustomStringConvertible {
    /// In bytes.
    package static let maximumLength = 2048
    private static let scheme = "https://"

    package let text: String

    package init(_ text: String) throws(InputProblem) {
        guard text.utf8.count <= Self.maximumLength else { throw InputProblem(.photoURL, .tooLong(maximum: Self.maximumLength)) }
        guard Self.isAcceptable(text) else { throw InputProblem(.photoURL, .malformed) }
        self.text = text
    }

    /// As it was stored; not checked again.
    package init(stored text: String) {
        self.text = text
    }

    package var description: String {
        text
    }

    private static func isAcceptable(_ text: String) -> Bool {
        guard text.prefix(scheme.count).lowercased() == scheme, hasLegalCharacters(Array(text.utf8)) else { return false }
        let authority = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: return isHost(parts[0])
        case 2: return isHost(parts[0]) && isPort(parts[1])
        default: return false
        }
    }

    /// The characters of RFC 3986 §2, each `%` with two hexadecimal digits after it, one `#` at most.
    private static func hasLegalCharacters(_ bytes: [UInt8]) -> Bool {
        let legal = bytes.allSatisfy { Unicode.Scalar($0).isASCIILetterOrDigit || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains($0) }
        let escapes = bytes.indices.filter { bytes[$0] == UInt8(ascii: "%") }
        let whole = escapes.allSatisfy { index in
            bytes.count > index + 2 && bytes[(index + 1)...(index + 2)].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        }
        return legal && whole && bytes.count { $0 == UInt8(ascii: "#") } <= 1
    }

    private static func isHost(_ host: Substring) -> Bool {
        let labels = host.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        return host.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != "-" && label.last != "-"
                    && label.allSatisfy { $0.isASCIILetterOrDigit || $0 == "-" }
            }
    }

    private static func isPort(_ port: Substring) -> Bool {
        (1...5).contains(port.utf8.count) && port.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && UInt16(port) != nil
    }
}
