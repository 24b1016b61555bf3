import COpenSSL

/// A checked public key: RSA of 2048 to 8192 bits, or a point on P-256.
package final class PublicKey: Sendable {
    /// The numbers of the key, unsigned, most significant byte first.
    package enum Components: Equatable, Sendable {
        /// Without leading zeros.
        case rsa(modulus: [UInt8], exponent: [UInt8])
        /// 32 bytes each.
        case p256(x: [UInt8], y: [UInt8])
    }

    package let components: Components
    private let handle: KeyHandle

    /// Throws `invalidKey` with the defect. The modulus must be odd and the exponent odd, from 3 to 2³² - 1.
    package convenience init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        try RSAPublicNumbers.validate(modulus: modulus, exponent: exponent)
        try self.init(
            .rsa(modulus: modulus, exponent: exponent),
            der: SubjectPublicKeyInfo.rsa(modulus: modulus, exponent: exponent),
            defect: .malformed)
    }

    /// Throws `invalidKey(.wrongLength)` unless both coordinates have 32 bytes, `invalidKey(.pointNotOnCurve)` for other points.
    package convenience init(p256X x: [UInt8], y: [UInt8]) throws(CryptoError) {
        guard x.count == 32, y.count == 32 else { throw .invalidKey(.wrongLength) }
        try self.init(.p256(x: x, y: y), der: SubjectPublicKeyInfo.p256(x: x, y: y), defect: .pointNotOnCurve)
    }

    package convenience init(_ components: Components) throws(CryptoError) {
        switch components {
        case .rsa(let modulus, let exponent): try self.init(rsaModulus: modulus, exponent: exponent)
        case .p256(let x, let y): try self.init(p256X: x, y: y)
        }
    }

    /// OpenSSL reads a point only if it lies on the curve, which on P-256 is all there is to check (its cofactor is 1). Its own check
    /// of an RSA key is left out: it takes milliseconds and finds nothing that ``RSAPublicNumbers`` lets a verifier suffer from.
    private init(_ components: Components, der: [UInt8], defect: KeyDefect) throws(CryptoError) {
        let pointer = unsafe der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return unsafe d2i_PUBKEY(nil, &position, buffer.count)
        }
        guard let pointer = unsafe pointer else {
            ERR_clear_error()
            throw .invalidKey(defect)
        }
        handle = unsafe KeyHandle(pointer)
        self.components = components
    }

    /// The key as DER (RFC 5280 §4.1.2.7).
    package var subjectPublicKeyInfo: [UInt8] {
        switch components {
        case .rsa(let modulus, let exponent): SubjectPublicKeyInfo.rsa(modulus: modulus, exponent: exponent)
        case .p256(let x, let y): SubjectPublicKeyInfo.p256(x: x, y: y)
        }
    }

    /// Which algorithms a key of this type can verify.
    package var algorithms: [SignatureAlgorithm] {
        switch components {
        case .rsa: [.rs256, .ps256]
        case .p256: [.es256]
        }
    }

    /// Whether the signature holds; `false` as well for an algorithm that does not fit the key or a signature of a wrong length.
    package func verify(_ signature: Span<UInt8>, over message: Span<UInt8>, algorithm: SignatureAlgorithm) -> Bool {
        guard algorithms.contains(algorithm) else { return false }
        switch components {
        case .rsa(let modulus, _):
            guard signature.count == modulus.count else { return false }
            return verifyEncoded(signature, over: message, algorithm: algorithm)
        case .p256:
            guard let der = ECDSASignature.der(fromRaw: signature) else {
                ERR_clear_error()
                return false
            }
            return verifyEncoded(der.span, over: message, algorithm: algorithm)
        }
    }

    package func verify(_ signature: [UInt8], over message: [UInt8], algorithm: SignatureAlgorithm) -> Bool {
        verify(signature.span, over: message.span, algorithm: algorithm)
    }

    private func verifyEncoded(_ signature: Span<UInt8>, over message: Span<UInt8>, algorithm: SignatureAlgorithm) -> Bool {
        let digest = SHA256.hash(message)
        let isValid = unsafe signature.withUnsafeBufferPointer { signature in
            unsafe digest.withUnsafeDigestBytes { digest in
                unsafe handle.operate(algorithm, prepare: { unsafe EVP_PKEY_verify_init($0) }) { context in
                    let start = unsafe digest.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    return unsafe EVP_PKEY_verify(context, signature.baseAddress, signature.count, start, digest.count) == 1
                }
            }
        }
        // A refused signature leaves its reasons on the queue, where a TLS call on this thread would misread them.
        if !isValid { ERR_clear_error() }
        return isValid
    }
}

/// The signature algorithms of RFC 7518 §3.1 that this service knows, under their registered names.
package enum SignatureAlgorithm: String, CaseIterable, Sendable {
    /// ECDSA on P-256 with SHA-256; the signature is R || S, 64 bytes.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes. Verified only.
    case ps256 = "PS256"
}
