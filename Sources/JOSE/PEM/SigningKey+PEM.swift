package import Crypto
package import Text

extension SigningKey {
    private static let beginning = "-----BEGIN PRIVATE KEY-----"
    private static let end = "-----END PRIVATE KEY-----"

    /// Reads an unencrypted PKCS#8 key in its textual form (RFC 7468 §10), as Apple's `.p8` files are: one key and nothing else but
    /// line breaks around it and within.
    ///
    /// Throws `invalidKey`, as `init(pkcs8DER:)` does.
    package convenience init(pem: SecretString) throws(CryptoError) {
        let lines = pem.revealedText.split { $0.isNewline }.map(String.init)
        guard lines.count > 2, lines.first == Self.beginning, lines.last == Self.end,
            let der = Base64.decode(lines.dropFirst().dropLast().joined())
        else { throw .invalidKey(.malformed) }
        try self.init(pkcs8DER: ProtectedBytes(der))
    }
}

extension PublicKey {
    /// The textual form (RFC 7468 §13), ending in a line feed.
    package var pem: String {
        let text = Array(Base64.encode(subjectPublicKeyInfo).utf8)
        let lines = stride(from: 0, to: text.count, by: 64).map { start in
            String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self)
        }
        return "-----BEGIN PUBLIC KEY-----\n\(lines.joined(separator: "\n"))\n-----END PUBLIC KEY-----\n"
    }
}
