import COpenSSL

/// HKDF with SHA-256 (RFC 5869): makes independent keys of one.
package enum HKDFSHA256 {
    /// The longest output the construction allows: 255 blocks.
    package static let maximumByteCount = 255 * Digest.byteCount

    /// Extracts and expands. `info` names the use of the derived key, so that two uses never share one.
    ///
    /// Throws `invalidLength` for a byte count outside 1...``maximumByteCount``.
    package static func derive(
        from key: SymmetricKey,
        salt: [UInt8] = [],
        info: [UInt8],
        byteCount: Int = 32
    ) throws(CryptoError) -> SymmetricKey {
        guard (1...maximumByteCount).contains(byteCount) else { throw .invalidLength }
        guard OpenSSL.isReady, let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "HKDF", nil) else {
            throw OpenSSL.failure("EVP_PKEY_CTX_new_from_name")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let isConfigured = unsafe key.storage.withUnsafeStoredBytes { keyBytes in
            unsafe EVP_PKEY_derive_init(context) == 1
                && EVP_PKEY_CTX_set_hkdf_md(context, SHA256.algorithm) == 1
                && EVP_PKEY_CTX_set1_hkdf_salt(context, salt, Int32(salt.count)) == 1
                && EVP_PKEY_CTX_set1_hkdf_key(context, keyBytes.baseAddress, Int32(keyBytes.count)) == 1
                && EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(info.count)) == 1
        }
        guard isConfigured else { throw OpenSSL.failure("EVP_PKEY_derive_init") }
        let derived = unsafe ProtectedBytes(count: byteCount) { output in
            var length = output.count
            let start = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe EVP_PKEY_derive(context, start, &length) == 1 && length == byteCount
        }
        guard let derived else { throw OpenSSL.failure("EVP_PKEY_derive") }
        return try SymmetricKey(derived)
    }
}
