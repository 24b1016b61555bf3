import COpenSSL

/// Making, reading and taking apart private keys.
extension KeyHandle {
    /// OpenSSL's name of P-256.
    static let nameOfP256 = "prime256v1"

    /// `configure` sets the size of the key and gives 1 on success.
    static func generate(_ type: String, configure: (OpaquePointer) -> Int32) throws(CryptoError) -> KeyHandle {
        guard OpenSSL.isReady, let context = unsafe EVP_PKEY_CTX_new_from_name(nil, type, nil) else {
            throw OpenSSL.failure("EVP_PKEY_CTX_new_from_name")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe configure(context) == 1,
            unsafe EVP_PKEY_generate(context, &key) == 1, let key = unsafe key
        else { throw OpenSSL.failure("EVP_PKEY_generate") }
        return unsafe KeyHandle(key)
    }

    /// Unencrypted PKCS#8 and nothing after it.
    convenience init(pkcs8DER der: Span<UInt8>) throws(CryptoError) {
        let info = unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var position = buffer.baseAddress
            guard let info = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &position, buffer.count) else { return nil }
            guard unsafe position == buffer.baseAddress.map({ unsafe $0 + buffer.count }) else {
                unsafe PKCS8_PRIV_KEY_INFO_free(info)
                return nil
            }
            return unsafe info
        }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        guard let info = unsafe info, let key = unsafe EVP_PKCS82PKEY(info) else {
            ERR_clear_error()
            throw .invalidKey(.malformed)
        }
        ERR_clear_error()
        unsafe self.init(key)
    }

    /// The public half, checked like any foreign key.
    func publicKey() throws(CryptoError) -> PublicKey {
        if unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 {
            guard let modulus = number(OSSL_PKEY_PARAM_RSA_N), let exponent = number(OSSL_PKEY_PARAM_RSA_E) else {
                throw OpenSSL.failure("EVP_PKEY_get_bn_param")
            }
            return try PublicKey(rsaModulus: modulus, exponent: exponent)
        }
        guard unsafe EVP_PKEY_is_a(pointer, "EC") == 1, groupName == Self.nameOfP256 else {
            ERR_clear_error()
            throw .invalidKey(.unsupportedType)
        }
        guard let x = number(OSSL_PKEY_PARAM_EC_PUB_X, byteCount: 32), let y = number(OSSL_PKEY_PARAM_EC_PUB_Y, byteCount: 32)
        else { throw OpenSSL.failure("EVP_PKEY_get_bn_param") }
        return try PublicKey(p256X: x, y: y)
    }

    private var groupName: String? {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return nil }
        return String(validating: name[..<length], as: UTF8.self)
    }

    /// A number of the key, most significant byte first; of its own length unless one is given.
    private func number(_ name: String, byteCount: Int32? = nil) -> [UInt8]? {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(pointer, name, &number) == 1 else { return nil }
        defer { unsafe BN_free(number) }
        let length = unsafe byteCount ?? (BN_num_bits(number) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: Int(length))
        return unsafe BN_bn2binpad(number, &bytes, length) == length ? bytes : nil
    }
}
