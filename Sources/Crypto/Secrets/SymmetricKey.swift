import Text

/// A key for ``HMACSHA256``, ``HKDFSHA256`` or ``AESGCM``: never empty, never printed, cleared when it is no longer used.
package struct SymmetricKey: Sendable, Redacted {
    let storage: ProtectedBytes

    /// Throws `invalidKey(.wrongLength)` for an empty key, so that a failed lookup can never become a key anyone knows.
    package init(_ bytes: ProtectedBytes) throws(CryptoError) {
        guard bytes.count > 0 else { throw .invalidKey(.wrongLength) }
        storage = bytes
    }

    package init(_ bytes: [UInt8]) throws(CryptoError) {
        try self.init(ProtectedBytes(bytes))
    }

    /// A fresh key of the system's random generator; `byteCount` must be positive.
    package static func random(byteCount: Int = 32) -> SymmetricKey {
        precondition(byteCount > 0)
        let bytes = unsafe ProtectedBytes(count: byteCount) { destination in
            unsafe SecureRandom.fill(destination)
            return true
        }
        // An impossible case: only an empty key is refused.
        guard let bytes, let key = try? SymmetricKey(bytes) else { fatalError("a non-empty key is always accepted") }
        return key
    }

    package var byteCount: Int {
        storage.count
    }

    /// The key itself, for the length of the call.
    package func withBytes<Result, Failure>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        try storage.withBytes(body)
    }
}
