import COpenSSL

/// HMAC-SHA-256 (RFC 2104, RFC 4231).
package enum HMACSHA256 {
    // A thread's context keeps the key of its last call until the next one; keys that are in use are in memory anyway.
    private static let context = unsafe ThreadLocalContext(
        make: { unsafe makeContext() },
        free: { unsafe EVP_MAC_CTX_free(OpaquePointer($0)) }
    )

    package static func authenticate(_ message: Span<UInt8>, key: SymmetricKey) -> Digest {
        unsafe message.withUnsafeBufferPointer { unsafe authenticate(UnsafeRawBufferPointer($0), key: key) }
    }

    package static func authenticate(_ message: [UInt8], key: SymmetricKey) -> Digest {
        unsafe message.withUnsafeBytes { unsafe authenticate($0, key: key) }
    }

    /// The code over the text's UTF-8 bytes.
    package static func authenticate(_ message: String, key: SymmetricKey) -> Digest {
        var message = message
        return message.withUTF8 { unsafe authenticate(UnsafeRawBufferPointer($0), key: key) }
    }

    /// Whether `code` is the full, untruncated code of the message; compared in constant time.
    package static func isValid(_ code: [UInt8], for message: [UInt8], key: SymmetricKey) -> Bool {
        guard let code = Digest(code) else { return false }
        return authenticate(message, key: key).matches(code)
    }

    private static func authenticate(_ message: UnsafeRawBufferPointer, key: SymmetricKey) -> Digest {
        let context = unsafe context.pointer
        let code = unsafe key.storage.withUnsafeStoredBytes { keyBytes in
            unsafe Digest { output in
                var length = 0
                return unsafe EVP_MAC_init(context, keyBytes.baseAddress, keyBytes.count, nil) == 1
                    && EVP_MAC_update(context, message.baseAddress, message.count) == 1
                    && EVP_MAC_final(context, output, &length, Digest.byteCount) == 1
                    && length == Digest.byteCount
            }
        }
        // Only memory exhaustion can get here; a wrong code must never be returned instead.
        guard let code else { fatalError("HMAC failed: \(OpenSSL.failure("EVP_MAC_final"))") }
        return code
    }

    private static func makeContext() -> OpaquePointer? {
        let mac = unsafe OpenSSL.require("HMAC") { unsafe EVP_MAC_fetch(nil, "HMAC", nil) }
        defer { unsafe EVP_MAC_free(mac) }
        guard let context = unsafe EVP_MAC_CTX_new(mac) else { return nil }
        guard unsafe selectDigest(of: context) else {
            unsafe EVP_MAC_CTX_free(context)
            return nil
        }
        return unsafe context
    }

    /// An `OSSL_PARAM` only points at its name and value, so both live until the call is over.
    private static func selectDigest(of context: OpaquePointer) -> Bool {
        var value = Array("SHA256".utf8CString)
        return unsafe OSSL_MAC_PARAM_DIGEST.withCString { name in
            unsafe value.withUnsafeMutableBufferPointer { value in
                let parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(name, value.baseAddress, 0),
                    OSSL_PARAM_construct_end(),
                ]
                return unsafe EVP_MAC_CTX_set_params(context, parameters) == 1
            }
        }
    }
}
