package import Text

/// An access token that means nothing to its holder: `kda_` and 256 random bits in base64url.
package struct OpaqueToken: Sendable {
    package static let prefix = "kda_"
    package static let randomByteCount = 32

    /// What the client gets.
    package let text: SecretString

    /// `random` must be `randomByteCount` bytes from a secure source.
    package init(random: [UInt8]) {
        precondition(random.count == Self.randomByteCount, "an opaque token is 32 bytes")
        text = SecretString(Self.prefix + Base64URL.encode(random))
    }

    package var hash: AccessTokenHash {
        AccessTokenHash(of: text.revealedText)
    }
}
