import Foundation
public import KidobanVerifier

#if canImport(CKidobanOpenSSL)
import CKidobanOpenSSL

/// ES256 and RS256 by the OpenSSL of the system. On Apple's systems the same name stands for `AppleSignatures`.
public struct SystemSignatures: SignatureChecker {
    public init() {}

    public func key(_ key: PublicKey) -> (any SignatureKey)? {
        switch key {
        case .p256: return OpenSSLKey(key, isElliptic: true)
        case .rsa(let modulus, _):
            guard DER.isAcceptable(modulus: modulus) else { return nil }
            return OpenSSLKey(key, isElliptic: false)
        }
    }
}

private final class OpenSSLKey: SignatureKey, @unchecked Sendable {  // OpenSSL lets many threads verify with one key.
    private let handle: OpaquePointer
    private let isElliptic: Bool

    /// Nil when OpenSSL takes it for no key: a point off the curve, for example.
    init?(_ key: PublicKey, isElliptic: Bool) {
        let encoded = DER.subjectPublicKeyInfo(key)
        let handle = encoded.withUnsafeBytes { bytes -> OpaquePointer? in
            var next = bytes.bindMemory(to: UInt8.self).baseAddress
            return d2i_PUBKEY(nil, &next, encoded.count)
        }
        ERR_clear_error()
        guard let handle else { return nil }
        self.handle = handle
        self.isElliptic = isElliptic
    }

    deinit {
        EVP_PKEY_free(handle)
    }

    func isValid(_ signature: Data, of message: Data) -> Bool {
        guard let encoded = isElliptic ? DER.ecdsaSignature(signature) : signature, let context = EVP_MD_CTX_new() else {
            return false
        }
        defer {
            EVP_MD_CTX_free(context)
            // A signature that does not hold leaves an error behind, in a queue that other code of this thread reads.
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, handle) == 1 else { return false }
        return encoded.withUnsafeBytes { signature in
            message.withUnsafeBytes { message in
                EVP_DigestVerify(
                    context, signature.bindMemory(to: UInt8.self).baseAddress, signature.count,
                    message.bindMemory(to: UInt8.self).baseAddress, message.count)
            }
        } == 1
    }
}
#else
/// ES256 and RS256 by what the system brings along.
public struct SystemSignatures: SignatureChecker {
    public init() {}

    public func key(_ key: PublicKey) -> (any SignatureKey)? {
        AppleSignatures().key(key)
    }
}
#endif
