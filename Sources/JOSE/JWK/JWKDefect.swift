package import Crypto

/// Why one key of a set cannot be used. It costs that key only.
package enum JWKDefect: Error, Equatable, Sendable {
    case notObject
    case missingMember(String)
    /// A member of a wrong type or value; the name is one that this code knows.
    case invalidMember(String)
    /// Neither RSA nor EC.
    case unsupportedKeyType
    /// EC, but not on P-256.
    case unsupportedCurve
    /// An `alg` that this code does not know, or one for encryption.
    case unsupportedAlgorithm
    /// An `alg` that keys of this type cannot serve.
    case algorithmDoesNotFit
    /// `use` or `key_ops` say that the key is not for verifying signatures.
    case notForVerification
    /// The private half is there: whoever published it has lost the key.
    case privateKeyExposed
    /// Too weak, or not a key at all.
    case unusable(KeyDefect)
    /// Another usable key of the set has the same `kid`; neither is taken.
    case duplicateKeyID
}
