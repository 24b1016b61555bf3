package import Crypto

/// The private part of a signing key as it is stored: encrypted, bound to its key id.
package struct SealedKey: Equatable, Sendable {
    package let kid: String
    /// As `Sealer` makes it.
    package let sealed: [UInt8]

    /// As it was stored.
    package init(kid: String, sealed: [UInt8]) {
        self.kid = kid
        self.sealed = sealed
    }

    /// `privateKey` is the key's PKCS #8 form.
    package init(sealing privateKey: ProtectedBytes, kid: String, with masterKey: MasterKey) throws(CryptoError) {
        let sealer = try Sealer(masterKey, .signingKeys)
        self.kid = kid
        sealed = try privateKey.withBytes { bytes throws(CryptoError) in try sealer.seal(bytes, boundTo: Self.context(kid)) }
    }

    /// The PKCS #8 form. Throws `authenticationFailed` for other master keys, another key id, or damaged bytes.
    package func open(with masterKey: MasterKey) throws(CryptoError) -> ProtectedBytes {
        try Sealer(masterKey, .signingKeys).open(sealed, boundTo: Self.context(kid))
    }

    /// The master key that has sealed it; nil when it is none of ours.
    package var masterKeyID: MasterKey.ID? {
        Sealer.keyID(inHeader: Array(sealed.prefix(Sealer.headerByteCount)))
    }

    /// What it is bound to.
    static func context(_ kid: String) -> [UInt8] {
        Array(kid.utf8)
    }
}
