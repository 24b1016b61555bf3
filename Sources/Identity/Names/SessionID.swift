import Text

/// The name of a session: 128 random bits, written as 22 characters of base64url. It is the `sid` of tokens and no secret.
package struct SessionID: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 16
    /// Characters of the written form.
    package static let textLength = 22

    /// The written form, which names the record in Redis.
    package let text: String

    /// `random` must be `byteCount` bytes from a secure source.
    package init(random: [UInt8]) {
        precondition(random.count == Self.byteCount, "a session id is 16 bytes")
        text = Base64URL.encode(random)
    }

    /// The canonical written form and nothing else; `nil` for any other text.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.textLength, Base64URL.decode(text) != nil else { return nil }
        self.text = String(text)
    }

    /// From its bytes; nil for another number of them.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        text = Base64URL.encode(bytes)
    }

    package var bytes: [UInt8] {
        Base64URL.decode(text) ?? []
    }

    package var description: String {
        text
    }
}
