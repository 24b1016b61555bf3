package import Crypto
package import Text

/// A public key for signatures with its name (RFC 7517).
package struct JWK: Sendable {
    package let key: PublicKey
    /// `kid`. Compared byte by byte, see ``hasID(_:)``.
    package let keyID: String?
    /// `alg`: the only algorithm the key is for, when it says so.
    package let algorithm: SignatureAlgorithm?

    /// A key of our own: its name is its thumbprint unless one is given.
    package init(key: PublicKey, algorithm: SignatureAlgorithm, keyID: String? = nil) {
        self.init(key: key, keyID: keyID ?? JWKThumbprint.make(of: key), algorithm: algorithm)
    }

    init(key: PublicKey, keyID: String?, algorithm: SignatureAlgorithm?) {
        self.key = key
        self.keyID = keyID
        self.algorithm = algorithm
    }

    /// The RFC 7638 thumbprint, base64url: the same for the same key however it is written.
    package var thumbprint: String {
        JWKThumbprint.make(of: key)
    }

    /// Whether the key may verify this algorithm: by its type and by what it declares.
    package func fits(_ algorithm: SignatureAlgorithm) -> Bool {
        key.algorithms.contains(algorithm) && (self.algorithm == nil || self.algorithm == algorithm)
    }

    /// Without Unicode normalisation, which `String`'s `==` would apply.
    package func hasID(_ keyID: String) -> Bool {
        self.keyID.map { $0.utf8.elementsEqual(keyID.utf8) } ?? false
    }

    /// The public members as a JSON object; there are no private ones in this type.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        switch key.components {
        case .rsa(let modulus, let exponent):
            writer.member("kty", "RSA")
            writer.member("n", Base64URL.encode(modulus))
            writer.member("e", Base64URL.encode(exponent))
        case .p256(let x, let y):
            writer.member("kty", "EC")
            writer.member("crv", "P-256")
            writer.member("x", Base64URL.encode(x))
            writer.member("y", Base64URL.encode(y))
        }
        if let keyID { writer.member("kid", keyID) }
        if let algorithm { writer.member("alg", algorithm.rawValue) }
        writer.member("use", "sig")
        writer.endObject()
    }
}

/// The name of a key by its contents (RFC 7638).
enum JWKThumbprint {
    /// The SHA-256 of the required members alone, in the order of their names, base64url.
    static func make(of key: PublicKey) -> String {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        switch key.components {
        case .rsa(let modulus, let exponent):
            writer.member("e", Base64URL.encode(exponent))
            writer.member("kty", "RSA")
            writer.member("n", Base64URL.encode(modulus))
        case .p256(let x, let y):
            writer.member("crv", "P-256")
            writer.member("kty", "EC")
            writer.member("x", Base64URL.encode(x))
            writer.member("y", Base64URL.encode(y))
        }
        writer.endObject()
        return Base64URL.encode(SHA256.hash(writer.bytes).bytes)
    }
}
