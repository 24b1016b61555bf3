package import Crypto
package import Text

/// What a confidential client proves itself with: `kds_` and 256 random bits in base64url. Shown once, kept as a digest.
///
/// A plain SHA-256 suffices where a password would need a slow hash: nobody can guess 256 bits.
package struct ClientSecret: Sendable {
    package static let prefix = "kds_"
    package static let randomByteCount = 32

    /// What the client gets.
    package let text: SecretString

    /// `random` must be `randomByteCount` bytes from a secure source.
    package init(random: [UInt8]) {
        precondition(random.count == Self.randomByteCount, "a client secret is 32 bytes")
        text = SecretString(Self.prefix + Base64URL.encode(random))
    }

    package var digest: Digest {
        Self.digest(of: text)
    }

    /// Of what somebody shows as a secret.
    package static func digest(of presented: SecretString) -> Digest {
        SHA256.hash(presented.revealedText)
    }
}
