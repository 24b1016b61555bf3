/// What a device said about itself at sign-in, to show to the user in the list of sessions. Untrusted text.
package struct DeviceDescription: Hashable, Sendable, CustomStringConvertible {
    /// In UTF-8 bytes.
    package static let maximumLength = 256

    package let text: String

    /// Never fails: control characters and line separators become spaces, and what is too long is cut.
    package init(_ text: String) {
        var kept = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            length += UTF8.width(scalar)
            guard length <= Self.maximumLength else { break }
            kept.append(scalar.breaksLines ? " " : scalar)
        }
        self.text = String(kept)
    }

    package var description: String {
        text
    }
}
