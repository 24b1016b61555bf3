import COpenSSL

/// The system's cryptographic random generator.
///
/// Its failure ends the process: there is no safe way to go on, and weak bytes must never be handed out.
package enum SecureRandom {
    /// So many random bytes, fit for keys.
    package static func bytes(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            unsafe fill(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
            initializedCount = count
        }
    }

    static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        guard buffer.count > 0 else { return }
        let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard let length = Int32(exactly: buffer.count), unsafe RAND_bytes(start, length) == 1 else {
            // Never weak bytes in place of good ones.
            fatalError("the random generator failed: \(OpenSSL.failure("RAND_bytes"))")
        }
    }
}
