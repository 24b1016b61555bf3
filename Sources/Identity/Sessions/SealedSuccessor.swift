import Crypto
import Text

/// The access token of a rotation, kept for whoever presents the parent again: sealed with AES-256-GCM under a key that is
/// derived from the parent, so that the store alone reveals nothing.
struct SealedSuccessor: Sendable {
    /// Nonce, ciphertext and tag.
    let bytes: [UInt8]

    private static let info = Array("kidoban/v1/successor".utf8)

    init(stored bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// - Parameter parent: the refresh token that gives way.
    init(_ accessToken: SecretString, _ issued: IssuedAccessToken, parent: RefreshToken) throws(CryptoError) {
        let plaintext = Array("\(issued.expiresAt.milliseconds) \(accessToken.revealedText)".utf8)
        bytes = try AESGCM.seal(plaintext, key: Self.key(parent), additionalData: Array(issued.hash.text.utf8))
    }

    /// The access token of this hash and when it expires; `nil` if it was sealed for another parent or is another token's.
    func open(_ parent: RefreshToken, hash: AccessTokenHash) -> (accessToken: SecretString, expiresAt: Timestamp)? {
        guard let key = try? Self.key(parent),
            let opened = try? AESGCM.open(bytes, key: key, additionalData: Array(hash.text.utf8))
        else { return nil }
        return opened.withBytes { plaintext in
            let text = plaintext.indices.map { plaintext[$0] }
            guard let space = text.firstIndex(of: UInt8(ascii: " ")),
                let expiry = Int64(String(decoding: text[..<space], as: UTF8.self))
            else { return nil }
            let accessToken = SecretString(String(decoding: text[(space + 1)...], as: UTF8.self))
            return (accessToken, Timestamp(milliseconds: expiry))
        }
    }

    private static func key(_ parent: RefreshToken) throws(CryptoError) -> SymmetricKey {
        try HKDFSHA256.derive(
            from: SymmetricKey(parent.text.revealedBytes), info: info, byteCount: AESGCM.keyByteCount)
    }
}
