import Text

/// 128 random bits that live in a session's record only, so that no token outlives the record: without it no mac can be made.
///
/// Compared nowhere and printed nowhere.
package struct SessionSalt: Sendable, Redacted {
    package static let byteCount = 16

    let bytes: [UInt8]

    /// `random` must be `byteCount` bytes from a secure source.
    package init(random: [UInt8]) {
        precondition(random.count == Self.byteCount, "a session salt is 16 bytes")
        bytes = random
    }

    /// As stored; `nil` for anything that `storedText` does not give.
    package init?(stored text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    package var storedText: String {
        Base64URL.encode(bytes)
    }
}
