import Crypto
import Text

/// What is kept of an access token: the first 144 bits of its SHA-256. They name what is stored of it in Redis, `at:<hash>`, and cannot be turned
/// back; for another token with the same ones somebody would have to try 2^144, since nobody chooses his own access token.
package struct AccessTokenHash: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 18

    /// The key in Redis of what is stored of the token: `at:` and 24 characters of base64url.
    package let key: String

    /// Of anything that was presented as a token. The bytes decide, so no other spelling finds the same record.
    package init(of token: Span<UInt8>) {
        self.init(SHA256.hash(token))
    }

    package init(of token: String) {
        self.init(SHA256.hash(token))
    }

    private init(_ digest: Digest) {
        key = digest.base64URL(Self.byteCount, behind: "at:")
    }

    /// As a session's record lists it; nil for another number of bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        key = "at:" + Base64URL.encode(bytes)
    }

    /// As a session's record lists it.
    package var bytes: [UInt8] {
        Base64URL.decode(text) ?? []
    }

    /// 24 characters of base64url.
    package var text: String {
        String(key.dropFirst(3))
    }

    package var description: String {
        text
    }
}
