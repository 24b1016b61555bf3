import Text

/// An e-mail address that one user can have: as typed, and in the form by which users are told apart.
///
/// A deliberate subset of RFC 5321 §4.1.2, the one that is in use and cannot be read in two ways. The local part is 1 to 64 of
/// the ASCII letters, digits and `!#$%&'*+-/=?^_{|}~` and the grave accent, with single dots inside. The domain may be
/// international. Comments, quotes, IP addresses, single-label domains, a dot at the end and white space anywhere are refused, and so
/// is more than 254 bytes in the normalised form.
package struct EmailAddress: Equatable, Sendable {
    /// In bytes, of the normalised form (RFC 5321 §4.5.3.1.3 less the angle brackets).
    package static let maximumLength = 254
    private static let maximumLocalLength = 64

    /// What the user typed; shown to the user and to nobody's parser.
    package let typed: String
    /// In lower case with an ASCII domain: unique among users, and where mail is sent.
    package let normalized: String

    package init(_ text: String) throws(InputProblem) {
        guard let address = Self.parse(text) else { throw InputProblem(.email, .malformed) }
        self = address
    }

    /// As it was stored; not checked again, so that later rules lock nobody out.
    package init(storedTyped typed: String, normalized: String) {
        self.typed = typed
        self.normalized = normalized
    }

    /// The normalised form up to the `@`.
    package var localPart: Substring {
        normalized[..<(normalized.utf8.firstIndex(of: UInt8(ascii: "@")) ?? normalized.endIndex)]
    }

    private static func parse(_ text: String) -> EmailAddress? {
        guard text.utf8.count <= maximumLength * 4 else { return nil }
        guard let at = text.utf8.firstIndex(of: UInt8(ascii: "@")) else { return nil }
        let (local, rest) = (text[..<at], text[text.utf8.index(after: at)...])
        guard isLocalPart(local.utf8), !rest.utf8.contains(UInt8(ascii: "@")), let domain = DomainName(rest) else { return nil }
        let normalized = local.lowercased() + "@" + domain.ascii
        guard normalized.utf8.count <= maximumLength else { return nil }
        return EmailAddress(storedTyped: text, normalized: normalized)
    }

    private static func isLocalPart(_ part: Substring.UTF8View) -> Bool {
        guard (1...maximumLocalLength).contains(part.count) else { return false }
        var isInAtom = false
        for byte in part {
            if byte == UInt8(ascii: "."), !isInAtom { return false }
            isInAtom = byte != UInt8(ascii: ".")
            if isInAtom, !isAtomText(byte) { return false }
        }
        return isInAtom
    }

    private static func isAtomText(_ byte: UInt8) -> Bool {
        Unicode.Scalar(byte).isASCIILetterOrDigit || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }
}

/// How the addresses that somebody looks for begin, in their normalised form: as the bounds of a range, in which no character means
/// anything but itself.
package struct EmailPrefix: Equatable, Sendable {
    /// The lowest text that begins so.
    package let lowerBound: String
    /// The lowest text behind all that begin so.
    let upperBound: String

    /// 1 to 254 visible ASCII characters, whose case does not matter; a whole address may have an international domain. Nil for
    /// anything else.
    package init?(_ text: String) {
        let normalized = (try? EmailAddress(text))?.normalized ?? text.lowercased()
        var bytes = Array(normalized.utf8)
        guard (1...EmailAddress.maximumLength).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        lowerBound = normalized
        bytes[bytes.count - 1] += 1
        upperBound = String(decoding: bytes, as: UTF8.self)
    }
}
