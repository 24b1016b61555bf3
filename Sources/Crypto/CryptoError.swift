/// Why a cryptographic operation was refused or failed. No case carries key material, plaintext or passwords.
package enum CryptoError: Error, Equatable, Sendable {
    /// The key may not be used; the defect says why.
    case invalidKey(KeyDefect)
    /// Ciphertext, tag, nonce, key or additional data do not belong together. Which of them is wrong is not known.
    case authenticationFailed
    /// An output or input length outside what the algorithm allows.
    case invalidLength
    /// A stored password hash that is none that can be checked here: argon2id's, bcrypt's, or one that `ForeignHash` reads.
    case malformedPasswordHash
    /// Password hashing parameters outside the configured limits, refused before any work.
    case passwordParametersRefused
    /// The memory a password hash needs could not be had.
    case memoryUnavailable
    /// The library reported a failure that input alone does not explain.
    case library(operation: String, code: UInt)
}

/// What is wrong with a key.
package enum KeyDefect: Equatable, Sendable {
    case malformed
    case wrongLength
    /// Neither RSA nor EC on P-256.
    case unsupportedType
    case modulusTooShort
    case modulusTooLong
    case modulusEven
    /// Even, below 3, or above 2³² - 1.
    case exponentRefused
    /// The modulus shows the fingerprint of the ROCA generator (CVE-2017-15361) and can be factored.
    case modulusFactorable
    case pointNotOnCurve
    /// The private and the public half do not belong together.
    case halvesDiffer
}
