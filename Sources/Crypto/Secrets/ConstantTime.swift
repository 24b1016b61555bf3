import COpenSSL

/// Comparisons whose duration does not tell where the inputs differ. The lengths are no secret.
package enum ConstantTime {
    /// Whether both have the same bytes; at once false when one is longer.
    package static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withUnsafeBufferPointer { left in
            unsafe right.withUnsafeBufferPointer { right in
                unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
            }
        }
    }

    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        equal(left.span, right.span)
    }
}
