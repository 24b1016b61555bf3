import Crypto
import Text

/// What is kept of an access token: the first 144 bits of its SHA-256. They name what is stored of it in Redis, `at:<hash>`, and cannot be turned
/// back; for another token with the same ones somebody would have to try 2^144, since nobody chooses their own access token.
package struct AccessTokenHash: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 18

    private let digest: Digest

    /// Of anything that was presented as a token. The bytes decide, so no other spelling finds the same record.
    package init(of token: Span<UInt8>) {
        self.init(SHA256.hash(token))
    }

    package init(of token: String) {
        self.init(SHA256.hash(token))
    }

    private init(_ digest: Digest) {
        self.digest = digest.keeping(first: Self.byteCount)
    }

    /// As a session's record lists it; nil for another number of bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, let digest = Digest(first: bytes) else { return nil }
        self.digest = digest
    }

    /// Those that a script returns, one behind the other; nil for what are none.
    package static func list(_ bytes: [UInt8]) -> [AccessTokenHash]? {
        guard bytes.count.isMultiple(of: byteCount) else { return nil }
        return stride(from: 0, to: bytes.count, by: byteCount).compactMap {
            AccessTokenHash(bytes: Array(bytes[$0..<$0 + byteCount]))
        }
    }

    /// Nil for a key that is not that of a token.
    init?(key: String) {
        guard key.hasPrefix("at:"), let bytes = Base64URL.decode(key.dropFirst(3)) else { return nil }
        self.init(bytes: bytes)
    }

    /// As a session's record lists it.
    package var bytes: [UInt8] {
        Array(digest.bytes.prefix(Self.byteCount))
    }

    /// The key in Redis of what is stored of the token: `at:` and 24 characters of base64url.
    package var key: String {
        digest.base64URL(Self.byteCount, behind: "at:")
    }

    /// The key in Redis of what was made of the token, by exchange.
    var descendantsKey: String { key + ":made" }

    /// 24 characters of base64url.
    package var text: String {
        digest.base64URL(Self.byteCount, behind: "")
    }

    package var description: String {
        text
    }
}
