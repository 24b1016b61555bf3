import COpenSSL

/// The two spellings of an ECDSA signature on P-256: R || S as JWS wants it (RFC 7518 §3.4), and DER as OpenSSL makes it.
enum ECDSASignature {
    static let integerByteCount: Int32 = 32
    static let rawByteCount = 64
    /// A sequence of two integers of at most 33 bytes each.
    static let maximumDERByteCount = 72

    /// `nil` unless the input is a DER signature whose integers fit 32 bytes.
    static func raw(fromDER der: [UInt8]) -> [UInt8]? {
        let signature = unsafe der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &position, buffer.count)
        }
        guard let signature = unsafe signature else { return nil }
        defer { unsafe ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: rawByteCount)
        let isWritten = unsafe raw.withUnsafeMutableBufferPointer { output in
            guard let start = output.baseAddress else { return false }
            let r = unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, integerByteCount)
            let s = unsafe BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + Int(integerByteCount), integerByteCount)
            return r == integerByteCount && s == integerByteCount
        }
        return isWritten ? raw : nil
    }

    /// `nil` unless the input has exactly 64 bytes. Whether R and S are in range is for the verification to say.
    static func der(fromRaw raw: Span<UInt8>) -> [UInt8]? {
        guard raw.count == rawByteCount, let signature = unsafe ECDSA_SIG_new() else { return nil }
        defer { unsafe ECDSA_SIG_free(signature) }
        let isSet = unsafe raw.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return false }
            let r = unsafe BN_bin2bn(start, integerByteCount, nil)
            let s = unsafe BN_bin2bn(start + Int(integerByteCount), integerByteCount, nil)
            // The signature owns the numbers only when the call succeeds; freeing `nil` is allowed.
            guard unsafe ECDSA_SIG_set0(signature, r, s) == 1 else {
                unsafe BN_free(r)
                unsafe BN_free(s)
                return false
            }
            return true
        }
        guard isSet else { return nil }
        var der = [UInt8](repeating: 0, count: maximumDERByteCount)
        let length = unsafe der.withUnsafeMutableBufferPointer { output in
            var position = output.baseAddress
            return unsafe i2d_ECDSA_SIG(signature, &position)
        }
        return length > 0 ? [UInt8](der[..<Int(length)]) : nil
    }
}
