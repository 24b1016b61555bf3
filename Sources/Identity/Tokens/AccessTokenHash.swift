package import Crypto
import Text

/// What is kept of an access token: its SHA-256. It names the token's answer in Redis, `at:<hash>`, and cannot be turned back.
package struct AccessTokenHash: Hashable, Sendable, CustomStringConvertible {
    package let digest: Digest

    /// Of anything that was presented as a token. The bytes decide, so no other spelling finds the same record.
    package init(of token: Span<UInt8>) {
        digest = SHA256.hash(token)
    }

    package init(of token: String) {
        digest = SHA256.hash(token)
    }

    /// As it was stored.
    package init?(hex: String) {
        guard let digest = Hex.decode(hex).flatMap({ Digest($0) }), digest.hex == hex else { return nil }
        self.digest = digest
    }

    /// 64 hexadecimal digits in lower case, as the session's record lists them.
    package var hex: String {
        digest.hex
    }

    /// The key in Redis of the answer to introspection.
    package var key: String {
        digest.hex(behind: "at:")
    }

    package var description: String {
        hex
    }
}
