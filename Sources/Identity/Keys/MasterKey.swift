package import Crypto
package import Text

/// The one secret that an installation is given; every other key is derived from it or sealed with a derived key.
///
/// All copies of the service need the same. Who loses it loses the signing keys and every session. To replace it, copies take two for a
/// while: one seals and makes, the other only opens and checks (`accepting(_:)`).
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
        case authorization = "kidoban/v1/authorization"
        case registration = "kidoban/v1/registration"
        case projectProviders = "kidoban/v1/project-providers"
    }

    /// The name of a master key, which says nothing about it: what is sealed carries it.
    package struct ID: Hashable, Sendable, CustomStringConvertible {
        package static let byteCount = 8

        package let bytes: [UInt8]

        /// `nil` unless there are eight bytes.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count == Self.byteCount else { return nil }
            self.bytes = bytes
        }

        /// 16 hexadecimal digits.
        package var description: String {
            Hex.encode(bytes)
        }
    }

    package let id: ID
    private let key: SymmetricKey
    /// At most one.
    private var others: [MasterKey] = []

    /// 32 bytes as 43 characters of base64url or 64 hexadecimal digits; `nil` for anything else, and for 32 equal bytes, which
    /// somebody has put there to fill the space.
    package init?(_ text: SecretString) {
        let text = text.revealedText
        guard
            let bytes = text.utf8.count == 2 * Self.byteCount ? Hex.decode(text) : Base64URL.decode(text),
            bytes.count == Self.byteCount, bytes.contains(where: { $0 != bytes[0] }),
            let key = try? SymmetricKey(bytes),
            let name = try? HKDFSHA256.derive(from: key, info: Array("kidoban/v1/key-id".utf8), byteCount: Self.byteCount),
            let id = ID(Array(HMACSHA256.authenticate([], key: name).bytes.prefix(ID.byteCount)))
        else { return nil }
        self.key = key
        self.id = id
    }

    /// The same key, with another one beside it that opens and checks what it has sealed and made: the one before or, on copies that
    /// still seal with the old one, the next.
    package func accepting(_ other: MasterKey?) -> MasterKey {
        var both = self
        both.others = other.map { [$0] } ?? []
        return both
    }

    /// The other one that is accepted.
    package var other: MasterKey? {
        others.first
    }

    /// A key that says nothing about the master key or about the key for another purpose.
    package func derive(_ purpose: Purpose) throws(CryptoError) -> SymmetricKey {
        try HKDFSHA256.derive(from: key, info: Array(purpose.rawValue.utf8), byteCount: Self.byteCount)
    }
}
