/// Text that must not be seen: a password, a token, a code. It prints as `‹redacted›` wherever it is interpolated or dumped.
///
/// It is deliberately neither `Equatable` nor `Hashable`: secrets are compared in constant time, over their bytes or digests.
package struct SecretString: Sendable, Redacted {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The secret itself. Every use is a place to check that it goes into no log, error or URL.
    package var revealedText: String {
        text
    }

    /// The secret as UTF-8 bytes, with the same warning.
    package var revealedBytes: [UInt8] {
        [UInt8](text.utf8)
    }

    /// Length in UTF-8 bytes, which rules may look at without revealing the rest.
    package var byteCount: Int {
        text.utf8.count
    }

    package var isEmpty: Bool {
        text.isEmpty
    }
}

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

/// A value that may hold passwords and tokens somewhere inside: it prints as its short description and reflects nothing.
package protocol UnprintedContent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension UnprintedContent {
    package var debugDescription: String {
        description
    }

    package var customMirror: Mirror {
        Mirror(self, children: [])
    }
}

/// A value that is a secret: it prints as `‹redacted›` wherever it is interpolated or dumped.
package protocol Redacted: UnprintedContent {}

extension Redacted {
    package var description: String {
        SecretBytes.redaction
    }
}
