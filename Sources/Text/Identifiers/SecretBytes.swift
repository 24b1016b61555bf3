/// Bytes that must not be seen, such as a rendered credential; prints as `‹redacted›` and cannot be compared with `==`.
package struct SecretBytes: Sendable, Redacted {
    /// What every secret prints as.
    package static let redaction = "‹redacted›"

    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The secret itself. Every use is a place to check that it goes into no log, error or URL.
    package var revealedBytes: [UInt8] {
        bytes
    }

    package var byteCount: Int {
        bytes.count
    }
}
