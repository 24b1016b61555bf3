import Crypto
import Text

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
