import COpenSSL

/// The functions that other systems make password hashes with, as OpenSSL computes them. Each takes up to seconds of the calling thread.
enum KeyDerivation {
    enum DigestName: String, Sendable, CaseIterable {
        case md5, sha1, sha256, sha512

        var byteCount: Int {
            switch self {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }

        fileprivate var algorithm: OpaquePointer? {
            switch self {
            case .md5: unsafe EVP_md5()
            case .sha1: unsafe EVP_sha1()
            case .sha256: unsafe EVP_sha256()
            case .sha512: unsafe EVP_sha512()
            }
        }
    }

    /// RFC 7914.
    /// - Parameters:
    ///   - rounds: `N`, a power of two.
    ///   - memoryLimit: in bytes; more is refused by the library.
    static func scrypt(
        _ password: [UInt8], salt: [UInt8], rounds: UInt64, blockSize: UInt64, parallelism: UInt64, byteCount: Int,
        memoryLimit: UInt64
    ) throws(CryptoError) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: byteCount)
        let done = unsafe password.withUnsafeBufferPointer { password in
            // The library takes a null pointer for a question about the parameters.
            unsafe withCharacters(password) { characters in
                unsafe EVP_PBE_scrypt(
                    characters, password.count, salt, salt.count, rounds, blockSize, parallelism, memoryLimit, &key, byteCount)
            }
        }
        guard done == 1 else { throw OpenSSL.failure("EVP_PBE_scrypt") }
        return key
    }

    /// RFC 8018 §5.2.
    static func pbkdf2(
        _ password: [UInt8], salt: [UInt8], iterations: Int32, _ digest: DigestName, byteCount: Int
    ) throws(CryptoError) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: byteCount)
        let done = unsafe password.withUnsafeBufferPointer { password in
            unsafe withCharacters(password) { characters in
                unsafe PKCS5_PBKDF2_HMAC(
                    characters, Int32(password.count), salt, Int32(salt.count), iterations, digest.algorithm, Int32(byteCount),
                    &key)
            }
        }
        guard done == 1 else { throw OpenSSL.failure("PKCS5_PBKDF2_HMAC") }
        return key
    }

    static func hash(_ bytes: [UInt8], _ digest: DigestName) throws(CryptoError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: digest.byteCount)
        guard unsafe EVP_Digest(bytes, bytes.count, &output, nil, digest.algorithm, nil) == 1 else {
            throw OpenSSL.failure("EVP_Digest")
        }
        return output
    }

    /// RFC 2104.
    static func hmac(_ message: [UInt8], key: [UInt8], _ digest: DigestName) throws(CryptoError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: digest.byteCount)
        var length: UInt32 = 0
        guard unsafe HMAC(digest.algorithm, key, Int32(key.count), message, message.count, &output, &length) != nil else {
            throw OpenSSL.failure("HMAC")
        }
        return output
    }

    /// AES-256 in counter mode from a counter of zero.
    static func aes256CTR(_ plaintext: [UInt8], key: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard key.count == 32, let context = unsafe EVP_CIPHER_CTX_new() else { throw .invalidLength }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let counter = [UInt8](repeating: 0, count: 16)
        var output = [UInt8](repeating: 0, count: plaintext.count)
        var length: Int32 = 0
        guard unsafe EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nil, key, counter) == 1,
            unsafe EVP_EncryptUpdate(context, &output, &length, plaintext, Int32(plaintext.count)) == 1
        else { throw OpenSSL.failure("EVP_EncryptUpdate") }
        return output
    }

    private static func withCharacters<R>(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafePointer<CChar>?) -> R) -> R {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return unsafe body("") }
        return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { unsafe body($0) }
    }
}
