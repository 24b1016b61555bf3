import Text

/// A domain name that mail can go to, in its ASCII form and in lower case.
struct DomainName: Hashable, Sendable {
    let ascii: String

    /// Any spelling that UTS #46 maps to one name gives the same value: letter case, full-width characters, decomposed accents,
    /// Unicode or punycode.
    ///
    /// Refused: a name without a dot or with one at its end, labels that are not letters, digits and inner hyphens or are over
    /// 63 bytes, an IP address, and characters that nobody can see (format characters such as zero-width and
    /// direction marks; UTS #46 would drop some of them silently).
    init?(_ text: some StringProtocol) {
        guard text.unicodeScalars.allSatisfy({ $0.isVisible }) else { return nil }
        guard let ascii = UnicodeText.asciiDomain(String(text)) else { return nil }
        let labels = ascii.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy(Self.isLabel), let last = labels.last, !Self.isNumber(last) else { return nil }
        self.ascii = ascii
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        guard (1...63).contains(label.count), label.first != hyphen, label.last != hyphen else { return false }
        return label.allSatisfy { $0 == hyphen || Unicode.Scalar($0).isASCIILetterOrDigit }
    }

    private static func isNumber(_ label: Substring.UTF8View) -> Bool {
        label.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension Unicode.Scalar {
    fileprivate var isVisible: Bool {
        if isASCII { return (0x21...0x7E).contains(value) }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .unassigned, .privateUse: false
        default: !properties.isDefaultIgnorableCodePoint
        }
    }
}
