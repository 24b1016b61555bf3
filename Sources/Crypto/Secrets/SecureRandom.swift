import COpenSSL

/// The system's cryptographic random generator.
///
/// Its failure ends the process: there is no safe way to go on, and weak bytes must never be handed out.
package enum SecureRandom {
    /// What a thread draws at once: one draw costs as much as the bytes of many ids. Bytes are wiped as they are handed out, and none is handed out
    /// twice: no process of ours forks.
    private struct Reserve {
        static let capacity = 512
        /// Longer ones are drawn by themselves.
        static let longest = 32
        static let size = MemoryLayout<Int>.size + capacity
    }

    /// A thread's: how many bytes are left, and behind that the bytes, of which the last are left.
    private static let reserve = unsafe ThreadLocalContext(
        make: { unsafe OpaquePointer(CRYPTO_zalloc(Reserve.size, nil, 0)) },
        free: { unsafe CRYPTO_clear_free($0, Reserve.size, nil, 0) }
    )

    /// So many random bytes, fit for keys.
    package static func bytes(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            let buffer = unsafe UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
            if count <= Reserve.longest { unsafe take(buffer) } else { unsafe fill(buffer) }
            initializedCount = count
        }
    }

    private static func take(_ buffer: UnsafeMutableRawBufferPointer) {
        let start = unsafe UnsafeMutableRawPointer(reserve.pointer)
        let bytes = unsafe start + MemoryLayout<Int>.size
        var left = unsafe start.load(as: Int.self)
        if left < buffer.count {
            unsafe fill(UnsafeMutableRawBufferPointer(start: bytes, count: Reserve.capacity))
            left = Reserve.capacity
        }
        left -= buffer.count
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(start: bytes + left, count: buffer.count))
        unsafe OPENSSL_cleanse(bytes + left, buffer.count)
        unsafe start.storeBytes(of: left, as: Int.self)
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
