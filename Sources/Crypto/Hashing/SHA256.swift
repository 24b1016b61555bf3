import COpenSSL

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    // OpenSSL reference-counts the algorithm and never changes it after the fetch, so every thread may read it.
    nonisolated(unsafe) static let algorithm = unsafe OpenSSL.require("SHA-256") { unsafe EVP_MD_fetch(nil, "SHA256", nil) }

    private static let context = unsafe ThreadLocalContext(
        make: { unsafe EVP_MD_CTX_new() },
        free: { unsafe EVP_MD_CTX_free(OpaquePointer($0)) }
    )

    package static func hash(_ bytes: Span<UInt8>) -> Digest {
        unsafe bytes.withUnsafeBufferPointer { unsafe hash(UnsafeRawBufferPointer($0)) }
    }

    package static func hash(_ bytes: [UInt8]) -> Digest {
        unsafe bytes.withUnsafeBytes { unsafe hash($0) }
    }

    /// The digest of the text's UTF-8 bytes.
    package static func hash(_ text: String) -> Digest {
        var text = text
        return text.withUTF8 { unsafe hash(UnsafeRawBufferPointer($0)) }
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Digest {
        let context = unsafe context.pointer
        let digest = unsafe Digest { output in
            unsafe EVP_DigestInit_ex2(context, algorithm, nil) == 1
                && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
                && EVP_DigestFinal_ex(context, output, nil) == 1
        }
        // Only memory exhaustion can get here; a wrong digest must never be returned instead.
        guard let digest else { fatalError("SHA-256 failed: \(OpenSSL.failure("EVP_DigestFinal_ex"))") }
        return digest
    }
}
