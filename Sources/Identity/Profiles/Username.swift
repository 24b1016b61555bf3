import Text

/// A name that a user may sign in with beside the e-mail address: 1 to 150 letters, digits and `@.+-_`, as Django has it.
///
/// In normalization form C. Two that differ in letter case only are one user's.
package struct Username: Equatable, Sendable, CustomStringConvertible {
    /// In Unicode scalars.
    package static let maximumLength = 150

    package let text: String
    /// By which usernames are told apart.
    package let folded: String

    package init(_ text: String) throws(InputProblem) {
        guard text.utf8.count <= 4 * Self.maximumLength, text.unicodeScalars.count <= Self.maximumLength else {
            throw InputProblem(.username, .tooLong(maximum: Self.maximumLength))
        }
        guard !text.isEmpty, let normalized = UnicodeText.nfc(text), normalized.unicodeScalars.allSatisfy(Self.isAllowed) else {
            throw InputProblem(.username, .malformed)
        }
        self.text = normalized
        folded = normalized.lowercased()
    }

    /// As it was stored; not checked again.
    init(stored text: String) {
        self.text = text
        folded = text.lowercased()
    }

    package var description: String {
        text
    }

    /// What `\w` and `@.+-` mean to Python.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.isASCIILetterOrDigit || "@.+-_".unicodeScalars.contains(scalar) }
        return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
}

extension Username {
    /// The names to try for somebody who has not chosen one, in this order: what stands before the `@` of the address, then the
    /// same with a number, in the end with one that nobody else will have.
    static func candidates(for email: EmailAddress?, random: (Int) -> [UInt8]) -> [String] {
        let base = base(for: email)
        let numbered = (2...20).map { base + String($0) }
        let drawn = (0..<3).map { _ in base + String(random(5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) }
        return [base] + numbered + drawn
    }

    static func base(for email: EmailAddress?) -> String {
        guard let email else { return "user" }
        let plain = email.localPart.unicodeScalars.filter { $0.isASCIILetterOrDigit || "@.+-_".unicodeScalars.contains($0) }
        return plain.isEmpty ? "user" : String(String.UnicodeScalarView(plain))
    }
}
