import Crypto
package import Text

/// `c_hash` and `at_hash` of an id token: what ties the authorization code and the access token to it that come along.
package enum TokenHash {
    /// Whether `hash` is that of the code or token: the left half of its SHA-256 in base64url (OpenID Connect Core §3.3.2.11), as for
    /// all algorithms that end in 256.
    package static func matches(_ hash: String, _ secret: SecretString) -> Bool {
        let digest = SHA256.hash(secret.revealedText).bytes
        let expected = Base64URL.encode(Array(digest.prefix(digest.count / 2)))
        return ConstantTime.equal(Array(hash.utf8), Array(expected.utf8))
    }
}
