import CArgon2

/// The three kinds of argon2 (RFC 9106): ours is argon2id of version 1.3, the others are brought along.
enum Argon2 {
    enum Kind: String, Sendable {
        case argon2d, argon2i, argon2id
    }

    /// As the PHC string format writes it.
    enum Version: UInt32, Sendable {
        case v10 = 16
        case v13 = 19
    }

    /// Bounds of the algorithm itself, in bytes.
    static let saltByteCounts = 8...255

    /// The tag of a password. Takes the time and the memory of the parameters, on the calling thread.
    static func tag(
        of password: Span<UInt8>, salt: [UInt8], parameters: Argon2id.Parameters, byteCount: Int, kind: Kind = .argon2id,
        version: Version = .v13, associatedData: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        guard let passwordLength = UInt32(exactly: password.count) else { throw .invalidLength }
        var salt = salt
        var data = associatedData
        var result = ARGON2_OK.rawValue
        let tag = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { output, initializedCount in
            var context = unsafe argon2_context()
            unsafe context.out = output.baseAddress
            unsafe context.outlen = UInt32(byteCount)
            unsafe context.t_cost = parameters.iterations
            unsafe context.m_cost = parameters.memoryKiB
            unsafe context.lanes = parameters.parallelism
            unsafe context.threads = 1
            unsafe context.version = version.rawValue
            unsafe context.allocate_cbk = allocatePasswordMemory
            unsafe context.free_cbk = freePasswordMemory
            unsafe password.withUnsafeBufferPointer { password in
                unsafe salt.withUnsafeMutableBufferPointer { salt in
                    unsafe data.withUnsafeMutableBufferPointer { data in
                        // Only a flag that is not set would make the library write to the password.
                        unsafe context.pwd = UnsafeMutablePointer(mutating: password.baseAddress)
                        unsafe context.pwdlen = passwordLength
                        unsafe context.salt = salt.baseAddress
                        unsafe context.saltlen = UInt32(salt.count)
                        if !data.isEmpty {
                            unsafe context.ad = data.baseAddress
                            unsafe context.adlen = UInt32(data.count)
                        }
                        switch kind {
                        case .argon2d: unsafe result = argon2d_ctx(&context)
                        case .argon2i: unsafe result = argon2i_ctx(&context)
                        case .argon2id: unsafe result = argon2id_ctx(&context)
                        }
                    }
                }
            }
            initializedCount = result == ARGON2_OK.rawValue ? byteCount : 0
        }
        switch result {
        case ARGON2_OK.rawValue: return tag
        case ARGON2_MEMORY_ALLOCATION_ERROR.rawValue: throw .memoryUnavailable
        case let code: throw .library(operation: "argon2_ctx", code: UInt(bitPattern: Int(code)))
        }
    }
}
