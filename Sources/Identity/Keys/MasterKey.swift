package import Crypto
package import Text

/// The one secret that an installation is given; every other key is derived from it or sealed with a derived key.
///
/// All copies of the service need the same. Who loses it loses the signing keys and every session.
package struct MasterKey: Sendable {
    package static let byteCount = 32

    /// What a derived key is for. Each has its own `info` for HKDF (RFC 5869 §3.2), which must never change.
    package enum Purpose: String, Sendable, CaseIterable {
        case sessionTokens = "kidoban/v1/session-tokens"
        case signingKeys = "kidoban/v1/signing-keys"
        case mail = "kidoban/v1/mail"
        case sharedSecretTokens = "kidoban/v1/shared-secret-tokens"
        case providerTokens = "kidoban/v1/provider-tokens"
        case limits = "kidoban/v1/limits"
        case accountChanges = "kidoban/v1/account-changes"
    }

    private let key: SymmetricKey

    /// 32 bytes as 43 characters of base64url or 64 hexadecimal digits; `nil` for anything else, and for 32 equal bytes, which
    /// somebody has put there to fill the space.
    package init?(_ text: SecretString) {
        let text = text.revealedText
        guard
            let bytes = text.utf8.count == 2 * Self.byteCount ? Hex.decode(text) : Base64URL.decode(text),
            bytes.count == Self.byteCount, bytes.contains(where: { $0 != bytes[0] }),
            let key = try? SymmetricKey(bytes)
        else { return nil }
        self.key = key
    }

    /// A key that says nothing about the master key or about the key for another purpose.
    package func derive(_ purpose: Purpose) throws(CryptoError) -> SymmetricKey {
        try HKDFSHA256.derive(from: key, info: Array(purpose.rawValue.utf8), byteCount: Self.byteCount)
    }
}
