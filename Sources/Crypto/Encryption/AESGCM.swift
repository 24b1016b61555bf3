import COpenSSL

/// AES-256-GCM (NIST SP 800-38D): seals secrets for storage. A sealed box is nonce (12 bytes), ciphertext, tag (16 bytes).
///
/// The nonce is random, so one key must seal fewer than 2³² messages (SP 800-38D §8.3); keys of this service seal a handful.
package enum AESGCM {
    package static let keyByteCount = 32
    package static let nonceByteCount = 12
    package static let tagByteCount = 16

    // OpenSSL reference-counts the algorithm and never changes it after the fetch, so every thread may read it.
    private nonisolated(unsafe) static let algorithm = unsafe OpenSSL.require("AES-256-GCM") {
        unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    }

    /// Encrypts and authenticates; the additional data is authenticated only and has to be given again to open the box.
    ///
    /// Throws `invalidKey(.wrongLength)` unless the key has 32 bytes.
    package static func seal(
        _ plaintext: Span<UInt8>,
        key: SymmetricKey,
        additionalData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try seal(plaintext, key: key, additionalData: additionalData, nonce: SecureRandom.bytes(nonceByteCount))
    }

    package static func seal(
        _ plaintext: [UInt8],
        key: SymmetricKey,
        additionalData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try seal(plaintext.span, key: key, additionalData: additionalData)
    }

    /// Seals with a chosen nonce, which must never be used twice with one key; for published vectors.
    static func seal(
        _ plaintext: Span<UInt8>,
        key: SymmetricKey,
        additionalData: [UInt8],
        nonce: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard nonce.count == nonceByteCount else { throw .invalidLength }
        let context = unsafe try makeContext(.encrypt, key: key, nonce: nonce, additionalData: additionalData)
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        guard let plaintextLength = Int32(exactly: plaintext.count) else { throw .invalidLength }
        var tag = [UInt8](repeating: 0, count: tagByteCount)
        var isSealed = false
        let ciphertext = unsafe [UInt8](unsafeUninitializedCapacity: plaintext.count) { output, initializedCount in
            var length: Int32 = 0
            var finalLength: Int32 = 0
            unsafe isSealed = plaintext.withUnsafeBufferPointer { input in
                unsafe EVP_EncryptUpdate(context, output.baseAddress, &length, input.baseAddress, plaintextLength) == 1
            }
            var none: UInt8 = 0
            unsafe isSealed =
                isSealed && EVP_EncryptFinal_ex(context, &none, &finalLength) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagByteCount), &tag) == 1
            initializedCount = isSealed ? Int(length) : 0
        }
        guard isSealed else { throw OpenSSL.failure("EVP_EncryptFinal_ex") }
        return nonce + ciphertext + tag
    }

    /// Checks and decrypts. What comes out is treated as a secret.
    ///
    /// Throws `authenticationFailed` when the box is too short or anything about box, key or additional data is wrong.
    package static func open(
        _ sealed: Span<UInt8>,
        key: SymmetricKey,
        additionalData: [UInt8]
    ) throws(CryptoError) -> ProtectedBytes {
        let length = sealed.count - nonceByteCount - tagByteCount
        guard length >= 0, Int32(exactly: length) != nil else { throw .authenticationFailed }
        let nonce = copy(sealed.extracting(0..<nonceByteCount))
        var tag = copy(sealed.extracting((nonceByteCount + length)...))
        let ciphertext = sealed.extracting(nonceByteCount..<nonceByteCount + length)
        let context = unsafe try makeContext(.decrypt, key: key, nonce: nonce, additionalData: additionalData)
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let plaintext = unsafe ciphertext.withUnsafeBufferPointer { input in
            unsafe ProtectedBytes(count: length) { output in
                let start = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                var written: Int32 = 0
                var none: UInt8 = 0
                return unsafe EVP_DecryptUpdate(context, start, &written, input.baseAddress, Int32(length)) == 1
                    && Int(written) == length
                    && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagByteCount), &tag) == 1
                    && EVP_DecryptFinal_ex(context, &none, &written) == 1
            }
        }
        guard let plaintext else {
            ERR_clear_error()
            throw .authenticationFailed
        }
        return plaintext
    }

    package static func open(
        _ sealed: [UInt8],
        key: SymmetricKey,
        additionalData: [UInt8]
    ) throws(CryptoError) -> ProtectedBytes {
        try open(sealed.span, key: key, additionalData: additionalData)
    }

    private enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    private static func makeContext(
        _ direction: Direction,
        key: SymmetricKey,
        nonce: [UInt8],
        additionalData: [UInt8]
    ) throws(CryptoError) -> OpaquePointer {
        guard key.byteCount == keyByteCount else { throw .invalidKey(.wrongLength) }
        guard let additionalLength = Int32(exactly: additionalData.count) else { throw .invalidLength }
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw OpenSSL.failure("EVP_CIPHER_CTX_new") }
        let isReady = unsafe key.storage.withUnsafeStoredBytes { keyBytes in
            var length: Int32 = 0
            return unsafe EVP_CipherInit_ex2(context, algorithm, keyBytes.baseAddress, nonce, direction.rawValue, nil) == 1
                && EVP_CipherUpdate(context, nil, &length, additionalData, additionalLength) == 1
        }
        guard isReady else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw OpenSSL.failure("EVP_CipherInit_ex2")
        }
        return unsafe context
    }

    private static func copy(_ bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](capacity: bytes.count) { output in
            for index in bytes.indices { output.append(bytes[index]) }
        }
    }
}
