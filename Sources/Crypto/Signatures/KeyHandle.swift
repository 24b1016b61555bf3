import COpenSSL

/// Owns one `EVP_PKEY`.
// Sendable holds because the key is only read after it is made; OpenSSL guards the caches inside it with its own lock.
@safe final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over the caller's reference.
    init(_ pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// Prepares one operation with the key over a SHA-256 digest and runs it.
    ///
    /// `prepare` is `EVP_PKEY_sign_init` or `EVP_PKEY_verify_init`. Gives `false` as soon as a step fails, with the reason on the
    /// thread's error queue.
    func operate(
        _ algorithm: SignatureAlgorithm,
        prepare: (OpaquePointer) -> Int32,
        _ body: (OpaquePointer) -> Bool
    ) -> Bool {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe prepare(context) == 1, unsafe configure(context, for: algorithm) else { return false }
        return unsafe body(context)
    }

    private func configure(_ context: OpaquePointer, for algorithm: SignatureAlgorithm) -> Bool {
        switch algorithm {
        case .es256:
            return true
        case .rs256:
            return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
                && EVP_PKEY_CTX_set_signature_md(context, SHA256.algorithm) == 1
        case .ps256:
            return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_signature_md(context, SHA256.algorithm) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(context, SHA256.algorithm) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(Digest.byteCount)) == 1
        }
    }
}
