package import Crypto

/// Seals what is stored, for one purpose: AES-256-GCM with a key that is derived from the master key.
///
/// A sealed value is a version, the id of the master key, nonce, ciphertext and tag. The first two and what the value is bound to are
/// authenticated along, so that nobody with access to the database can put one value in the place of another.
package struct Sealer: Sendable {
    private static let version: UInt8 = 1
    /// How many bytes come before the nonce.
    static let headerByteCount = 1 + MasterKey.ID.byteCount

    private struct Key: Sendable {
        let header: [UInt8]
        let key: SymmetricKey

        init(_ masterKey: MasterKey, _ purpose: MasterKey.Purpose) throws(CryptoError) {
            header = Sealer.header(of: masterKey.id)
            key = try masterKey.derive(purpose)
        }
    }

    private let present: Key
    private let other: Key?

    package init(_ masterKey: MasterKey, _ purpose: MasterKey.Purpose) throws(CryptoError) {
        present = try Key(masterKey, purpose)
        other = try masterKey.other.map { other throws(CryptoError) in try Key(other, purpose) }
    }

    /// How everything begins that a master key has sealed.
    static func header(of id: MasterKey.ID) -> [UInt8] {
        [version] + id.bytes
    }

    /// The id of the master key that has sealed a value, of whose bytes these are the first; nil for what is none of ours.
    static func keyID(inHeader bytes: [UInt8]) -> MasterKey.ID? {
        guard bytes.count == headerByteCount, bytes.first == version else { return nil }
        return MasterKey.ID(Array(bytes.dropFirst()))
    }

    /// What a value is bound to that several texts name: each with its length before it, so that no two lists read the same.
    static func context(_ parts: [String]) -> [UInt8] {
        parts.flatMap { part in Array("\(part.utf8.count):\(part)".utf8) }
    }

    package func seal(_ plaintext: Span<UInt8>, boundTo context: [UInt8]) throws(CryptoError) -> [UInt8] {
        try present.header + AESGCM.seal(plaintext, key: present.key, additionalData: present.header + context)
    }

    package func seal(_ plaintext: [UInt8], boundTo context: [UInt8]) throws(CryptoError) -> [UInt8] {
        try seal(plaintext.span, boundTo: context)
    }

    /// Throws `authenticationFailed` for what neither master key has sealed, for another context, and for damaged bytes.
    package func open(_ sealed: [UInt8], boundTo context: [UInt8]) throws(CryptoError) -> ProtectedBytes {
        for key in [present, other].compactMap(\.self) where sealed.starts(with: key.header) {
            return try AESGCM.open(
                Array(sealed.dropFirst(Self.headerByteCount)), key: key.key, additionalData: key.header + context)
        }
        throw .authenticationFailed
    }

    /// The same value, sealed with the master key that seals.
    func resealed(_ sealed: [UInt8], boundTo context: [UInt8]) throws(CryptoError) -> [UInt8] {
        try open(sealed, boundTo: context).withBytes { bytes throws(CryptoError) in try seal(bytes, boundTo: context) }
    }
}
