import Text

/// The name of a client (RFC 6749 §2.2): 1 to 64 of the ASCII letters, digits, dot, underscore and hyphen.
///
/// Not in the form of a UUID, so that a token's subject can never be taken for a user when it is a client (RFC 9068 §5).
package struct ClientID: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 64

    package let text: String

    package init?(_ text: String) {
        let scalars = text.unicodeScalars
        guard
            (1...Self.maximumLength).contains(scalars.count),
            scalars.allSatisfy({ $0.isASCIILetterOrDigit || "._-".unicodeScalars.contains($0) }),
            UUID(text) == nil
        else { return nil }
        self.text = text
    }

    package var description: String {
        text
    }
}
