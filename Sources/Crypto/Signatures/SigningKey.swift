import COpenSSL
import Synchronization
import Text

/// A private key that signs: ES256 on P-256, or RS256. It never prints.
package final class SigningKey: Sendable, Redacted {
    package enum Kind: Equatable, Sendable {
        case es256
        /// RSA with a modulus of this many bits, 2048 to 8192.
        case rs256(bits: Int = 2048)
    }

    /// What ``sign(_:)`` makes.
    package let algorithm: SignatureAlgorithm
    package let publicKey: PublicKey
    private let handle: KeyHandle
    /// What nobody signs with just now: as many as threads have signed at once. To look a context's parts up takes longer than to hold the lock.
    private let contexts = Mutex<[KeyContext]>([])

    /// A fresh key of the system's random generator. RSA takes tenths of a second.
    package static func generate(_ kind: Kind) throws(CryptoError) -> SigningKey {
        switch kind {
        case .es256:
            return unsafe try SigningKey(
                KeyHandle.generate("EC") { unsafe EVP_PKEY_CTX_set_group_name($0, KeyHandle.nameOfP256) })
        case .rs256(let bits):
            guard bits >= RSAPublicNumbers.modulusBits.lowerBound else { throw .invalidKey(.modulusTooShort) }
            guard bits <= RSAPublicNumbers.modulusBits.upperBound else { throw .invalidKey(.modulusTooLong) }
            return unsafe try SigningKey(
                KeyHandle.generate("RSA") { unsafe EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(bits)) })
        }
    }

    /// Reads an unencrypted PKCS#8 key (RFC 5958), and makes and checks one signature with it.
    ///
    /// Throws `invalidKey`: `malformed` for anything else or trailing bytes, `halvesDiffer` when the signature does not hold.
    package convenience init(pkcs8DER der: Span<UInt8>) throws(CryptoError) {
        try self.init(imported: KeyHandle(pkcs8DER: der))
    }

    package convenience init(pkcs8DER der: ProtectedBytes) throws(CryptoError) {
        try self.init(imported: der.withBytes { bytes throws(CryptoError) in try KeyHandle(pkcs8DER: bytes) })
    }

    /// Reads a key that `exportPKCS8()` has written and nobody can have changed since. No signature is made, which takes milliseconds.
    package convenience init(exported der: ProtectedBytes) throws(CryptoError) {
        try self.init(der.withBytes { bytes throws(CryptoError) in try KeyHandle(pkcs8DER: bytes) })
    }

    private convenience init(imported handle: KeyHandle) throws(CryptoError) {
        try self.init(handle)
        let probe = Array("probe".utf8)
        guard let signature = try? sign(probe), publicKey.verify(signature, over: probe, algorithm: algorithm) else {
            throw .invalidKey(.halvesDiffer)
        }
    }

    private init(_ handle: KeyHandle) throws(CryptoError) {
        publicKey = try handle.publicKey()
        switch publicKey.components {
        case .p256: algorithm = .es256
        case .rsa: algorithm = .rs256
        }
        self.handle = handle
    }

    /// The key as unencrypted PKCS#8 (RFC 5958): to be sealed before it is stored.
    package func exportPKCS8() throws(CryptoError) -> ProtectedBytes {
        guard let info = unsafe EVP_PKEY2PKCS8(handle.pointer) else { throw OpenSSL.failure("EVP_PKEY2PKCS8") }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        let length = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, nil)
        guard length > 0 else { throw OpenSSL.failure("i2d_PKCS8_PRIV_KEY_INFO") }
        let der = unsafe ProtectedBytes(count: Int(length)) { output in
            var position = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &position) == length
        }
        guard let der else { throw OpenSSL.failure("i2d_PKCS8_PRIV_KEY_INFO") }
        return der
    }

    /// Signs the SHA-256 of the message. ES256 gives R || S, 64 bytes; RS256 as many bytes as the modulus has.
    package func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        let digest = SHA256.hash(message)
        let capacity: Int
        switch publicKey.components {
        case .p256: capacity = ECDSASignature.maximumDERByteCount
        case .rsa(let modulus, _): capacity = modulus.count
        }
        let signature = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, length in
            length = capacity
            let isSigned = unsafe digest.withUnsafeDigestBytes { digest in
                guard let context = context() else { return false }
                let start = unsafe digest.baseAddress?.assumingMemoryBound(to: UInt8.self)
                guard unsafe EVP_PKEY_sign(context.pointer, output.baseAddress, &length, start, digest.count) == 1 else {
                    return false
                }
                contexts.withLock { $0.append(context) }
                return true
            }
            if !isSigned { length = 0 }
        }
        guard !signature.isEmpty else { throw OpenSSL.failure("EVP_PKEY_sign") }
        switch publicKey.components {
        case .rsa: return signature
        case .p256:
            guard let raw = ECDSASignature.raw(fromDER: signature) else { throw OpenSSL.failure("d2i_ECDSA_SIG") }
            return raw
        }
    }

    /// One that nobody has, ready to sign.
    private func context() -> KeyContext? {
        if let idle = contexts.withLock({ $0.popLast() }) { return idle }
        return unsafe handle.context(algorithm, prepare: { unsafe EVP_PKEY_sign_init($0) })
    }

    package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try sign(message.span)
    }
}
