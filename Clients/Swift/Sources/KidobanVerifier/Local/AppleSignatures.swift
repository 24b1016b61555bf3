#if canImport(CryptoKit) && canImport(Security)
import CryptoKit
public import Foundation
import Security

/// ES256 by CryptoKit, RS256 by Security.
public struct AppleSignatures: SignatureChecker {
    public init() {}

    public func key(_ key: PublicKey) -> (any SignatureKey)? {
        switch key {
        case .p256(let x, let y):
            (try? P256.Signing.PublicKey(rawRepresentation: x + y)).map { P256Key(key: $0) }
        case .rsa(let modulus, let exponent):
            RSAKey(modulus, exponent)
        }
    }

    private struct P256Key: SignatureKey {
        let key: P256.Signing.PublicKey

        func isValid(_ signature: Data, of message: Data) -> Bool {
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: message)
        }
    }

    private struct RSAKey: SignatureKey, @unchecked Sendable {  // A SecKey does not change.
        private let key: SecKey

        init?(_ modulus: Data, _ exponent: Data) {
            guard DER.isAcceptable(modulus: modulus) else { return nil }
            let attributes: [String: Any] = [
                kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeyClass as String: kSecAttrKeyClassPublic,
            ]
            let encoded = DER.rsaPublicKey(modulus, exponent)
            guard let key = SecKeyCreateWithData(encoded as CFData, attributes as CFDictionary, nil) else { return nil }
            self.key = key
        }

        func isValid(_ signature: Data, of message: Data) -> Bool {
            SecKeyVerifySignature(
                key, .rsaSignatureMessagePKCS1v15SHA256, message as CFData, signature as CFData, nil)
        }
    }
}
#endif
