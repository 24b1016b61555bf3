package import Crypto

/// The private part of a signing key as it is stored: encrypted with AES-256-GCM, bound to its key id.
///
/// The key id is authenticated along, so that nobody with access to the database can put one key in the place of another.
package struct SealedKey: Equatable, Sendable {
    package let kid: String
    /// Nonce, ciphertext and tag.
    package let sealed: [UInt8]

    /// As it was stored.
    package init(kid: String, sealed: [UInt8]) {
        self.kid = kid
        self.sealed = sealed
    }

    /// `privateKey` is the key's PKCS #8 form.
    package init(sealing privateKey: ProtectedBytes, kid: String, with masterKey: MasterKey) throws(CryptoError) {
        let key = try masterKey.derive(.signingKeys)
        self.kid = kid
        sealed = try privateKey.withBytes { bytes throws(CryptoError) in
            try AESGCM.seal(bytes, key: key, additionalData: Array(kid.utf8))
        }
    }

    /// The PKCS #8 form. Throws `authenticationFailed` for another master key, another key id, or damaged bytes.
    package func open(with masterKey: MasterKey) throws(CryptoError) -> ProtectedBytes {
        try AESGCM.open(sealed, key: masterKey.derive(.signingKeys), additionalData: Array(kid.utf8))
    }
}
