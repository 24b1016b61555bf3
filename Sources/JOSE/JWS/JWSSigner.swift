package import Crypto
import Text

/// Signs many payloads with one key and one header, which is encoded once.
package struct JWSSigner: Sendable {
    package let keyID: String
    package let algorithm: SignatureAlgorithm
    private let key: SigningKey
    /// The encoded header and the dot after it.
    private let prefix: [UInt8]

    /// `type` becomes `typ`, such as `at+jwt` (RFC 9068 §2.1); the name of the key is its thumbprint unless one is given.
    package init(key: SigningKey, type: String?, keyID: String? = nil) {
        let keyID = keyID ?? JWKThumbprint.make(of: key.publicKey)
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.member("alg", key.algorithm.rawValue)
        writer.member("kid", keyID)
        if let type { writer.member("typ", type) }
        writer.endObject()
        self.key = key
        self.keyID = keyID
        algorithm = key.algorithm
        prefix = Base64URL.encodedBytes(writer.bytes) + [UInt8(ascii: ".")]
    }

    /// The same key under the same name, for tokens of another type.
    package func signing(_ type: String?) -> JWSSigner {
        JWSSigner(key: key, type: type, keyID: keyID)
    }

    /// The public half, as it is published.
    package var jwk: JWK {
        JWK(key: key.publicKey, algorithm: algorithm, keyID: keyID)
    }

    /// The compact serialization (RFC 7515 §7.1) as ASCII bytes.
    package func signedBytes(_ payload: [UInt8]) throws(JOSEError) -> [UInt8] {
        var token: [UInt8] = []
        token.reserveCapacity(prefix.count + payload.count * 4 / 3 + 4 + 512)
        token += prefix
        token += Base64URL.encodedBytes(payload)
        guard let signature = try? key.sign(token) else { throw .signingFailed }
        token.append(UInt8(ascii: "."))
        token += Base64URL.encodedBytes(signature)
        return token
    }

    /// The bare signature, for what is no JWS.
    package func signature(over bytes: [UInt8]) throws(JOSEError) -> [UInt8] {
        guard let signature = try? key.sign(bytes) else { throw .signingFailed }
        return signature
    }

    package func sign(_ payload: [UInt8]) throws(JOSEError) -> String {
        try String(decoding: signedBytes(payload), as: UTF8.self)
    }
}
