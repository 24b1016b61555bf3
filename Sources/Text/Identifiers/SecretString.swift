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
