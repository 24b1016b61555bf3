public import Foundation

/// A public key as a key set publishes it (RFC 7518 §6).
public enum PublicKey: Sendable, Hashable {
    /// 32 bytes each.
    case p256(x: Data, y: Data)
    case rsa(modulus: Data, exponent: Data)
}

/// Cryptography that the system brings along. Where `CryptoKit` is, `AppleSignatures`; on Linux, `SystemSignatures` of the product
/// `KidobanVerifierOpenSSL`.
public protocol SignatureChecker: Sendable {
    /// Nil for a key that is none: a point off the curve, a modulus of less than 2048 bits.
    func key(_ key: PublicKey) -> (any SignatureKey)?
}

/// A public key, ready for use by any task: ES256 of a P-256 key, RS256 of an RSA key.
public protocol SignatureKey: Sendable {
    /// - Parameter signature: as JWS has it (RFC 7518 §3.3, §3.4): R and S of 32 bytes each, or the RSA signature.
    func isValid(_ signature: Data, of message: Data) -> Bool
}
