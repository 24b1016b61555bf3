import COpenSSL

/// Owns one `EVP_PKEY_CTX`, and with it a reference to its key.
// @unchecked: used by one thread at a time; who takes one keeps it from the others.
@safe final class KeyContext: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over the caller's.
    init(_ pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(pointer)
    }
}

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
        guard let context = unsafe context(algorithm, prepare: prepare) else { return false }
        return unsafe body(context.pointer)
    }

    /// A context that is prepared for operations with the key, one after the other.
    func context(_ algorithm: SignatureAlgorithm, prepare: (OpaquePointer) -> Int32) -> KeyContext? {
        guard let pointer = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return nil }
        let context = unsafe KeyContext(pointer)
        guard unsafe prepare(pointer) == 1, unsafe configure(pointer, for: algorithm) else { return nil }
        return context
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
