/// The signature algorithms of RFC 7518 §3.1 that this service knows, under their registered names.
package enum SignatureAlgorithm: String, CaseIterable, Sendable {
    /// ECDSA on P-256 with SHA-256; the signature is R || S, 64 bytes.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes. Verified only.
    case ps256 = "PS256"
}
