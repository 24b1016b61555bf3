package import Crypto
import Text

/// Compact JWS with HMAC-SHA-256 (RFC 7518 §3.2): who can verify can also sign. For protocols whose clients expect `HS256`; nobody but
/// us has the key.
///
/// There is one header, and a token with any other is refused, so that nothing in a token chooses how it is verified.
package struct SharedSecretJWS: Sendable {
    private let key: SymmetricKey
    /// The encoded header and the dot after it.
    private let prefix: [UInt8]

    package init(key: SymmetricKey) {
        self.key = key
        prefix = Base64URL.encodedBytes(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + [UInt8(ascii: ".")]
    }

    /// The compact serialization (RFC 7515 §7.1).
    package func sign(_ payload: [UInt8]) -> String {
        var token = prefix + Base64URL.encodedBytes(payload)
        let mac = HMACSHA256.authenticate(token, key: key)
        token.append(UInt8(ascii: "."))
        token += Base64URL.encodedBytes(mac.bytes)
        return String(decoding: token, as: UTF8.self)
    }

    /// The payload of a token of ours.
    /// - Throws: `JOSEError` for anything else.
    package func verify(_ token: String) throws(JOSEError) -> [UInt8] {
        let bytes = Array(token.utf8)
        guard bytes.count <= UnverifiedJWS.maximumByteCount else { throw .tooLarge }
        guard bytes.starts(with: prefix) else { throw .unsupportedAlgorithm }
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot >= prefix.count else { throw .notThreeParts }
        guard let signature = Base64URL.decode(Array(bytes[(dot + 1)...])) else { throw .invalidBase64URL(.signature) }
        guard HMACSHA256.isValid(signature, for: Array(bytes[..<dot]), key: key) else { throw .invalidSignature }
        guard let payload = Base64URL.decode(Array(bytes[prefix.count..<dot])) else { throw .invalidBase64URL(.payload) }
        return payload
    }
}
