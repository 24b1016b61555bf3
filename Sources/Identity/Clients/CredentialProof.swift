import Crypto

/// A digest of whatever carried a client's id and secret, under which it can be recognised when it comes again the same.
package struct CredentialProof: Hashable, Sendable {
    private let digest: Digest

    package init(of bytes: Span<UInt8>) {
        digest = SHA256.hash(bytes)
    }
}
