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

/// The secret that a client had before its last rotation, while it is still good.
package struct PreviousSecret: Equatable, Sendable {
    package let digest: Digest
    /// How long it is good from the moment its record was read. PostgreSQL's clock tells, so that all copies agree.
    package let remaining: Duration
    /// How often it has proved the client since the rotation, over all copies and as of some seconds ago.
    package let uses: Int
    package let lastUse: Timestamp?

    package init(digest: Digest, remaining: Duration, uses: Int = 0, lastUse: Timestamp? = nil) {
        self.digest = digest
        self.remaining = remaining
        self.uses = uses
        self.lastUse = lastUse
    }
}

extension Client {
    /// Whether what it could prove itself with is still good.
    func takes(_ proof: Authentication) -> Bool {
        if authentication == proof { return true }
        guard case .secret(let digest) = proof else { return false }
        return previousSecret?.digest == digest
    }
}
