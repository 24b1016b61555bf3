import CArgon2

/// Password hashing with argon2id, version 1.3 (RFC 9106).
///
/// Hashing takes tens of milliseconds of one core and ``Parameters/memoryKiB`` of memory, on the calling thread: never call it on
/// an event loop. The memory is the system's again when the call returns.
package struct Argon2id: Sendable {
    /// What one hash costs. Stored with each hash, so that changing them leaves old hashes valid.
    package struct Parameters: Equatable, Sendable {
        package let memoryKiB: UInt32
        /// Passes over the memory.
        package let iterations: UInt32
        /// Lanes; part of the result. They are computed one after the other, so that a hash never uses more than its thread.
        package let parallelism: UInt32

        package init(memoryKiB: UInt32 = 19456, iterations: UInt32 = 2, parallelism: UInt32 = 1) {
            self.memoryKiB = memoryKiB
            self.iterations = iterations
            self.parallelism = parallelism
        }
    }

    /// The most that a hash may cost, whether configured or read from a stored hash.
    package struct Limits: Equatable, Sendable {
        package let memoryKiB: UInt32
        package let iterations: UInt32
        package let parallelism: UInt32

        package init(memoryKiB: UInt32 = 256 * 1024, iterations: UInt32 = 16, parallelism: UInt32 = 8) {
            self.memoryKiB = memoryKiB
            self.iterations = iterations
            self.parallelism = parallelism
        }

        /// Also applies the algorithm's own lower bounds: one pass, one lane, 8 KiB a lane (RFC 9106 §3.1).
        package func allow(_ parameters: Parameters) -> Bool {
            (1...max(iterations, 1)).contains(parameters.iterations)
                && (1...max(parallelism, 1)).contains(parameters.parallelism)
                && UInt64(parameters.memoryKiB) >= 8 * UInt64(parameters.parallelism)
                && parameters.memoryKiB <= memoryKiB
        }
    }

    package static let saltByteCount = 16
    package static let tagByteCount = 32

    package let parameters: Parameters
    package let limits: Limits

    /// Throws `passwordParametersRefused` when the parameters are outside the limits.
    package init(parameters: Parameters = Parameters(), limits: Limits = Limits()) throws(CryptoError) {
        guard limits.allow(parameters) else { throw .passwordParametersRefused }
        self.parameters = parameters
        self.limits = limits
    }

    /// The PHC string to store. The password is bytes of any value; the salt should be ``saltByteCount`` random bytes, 8 to 64.
    package func hash(
        password: Span<UInt8>,
        salt: [UInt8] = SecureRandom.bytes(saltByteCount)
    ) throws(CryptoError) -> String {
        guard PasswordHash.saltByteCounts.contains(salt.count) else { throw .invalidLength }
        let tag = try Argon2.tag(of: password, salt: salt, parameters: parameters, byteCount: Self.tagByteCount)
        return PasswordHash(parameters: parameters, salt: salt, tag: tag).encoded
    }

    package func hash(
        password: [UInt8],
        salt: [UInt8] = SecureRandom.bytes(saltByteCount)
    ) throws(CryptoError) -> String {
        try hash(password: password.span, salt: salt)
    }

    /// Whether this is the password of a stored hash. The tags are compared in constant time.
    ///
    /// Throws `malformedPasswordHash`, or `passwordParametersRefused` for a hash that asks for more than the limits, before any
    /// memory or time is spent.
    package func verify(password: Span<UInt8>, against encoded: String) throws(CryptoError) -> Bool {
        let stored = try PasswordHash(encoded: encoded)
        guard limits.allow(stored.parameters) else { throw .passwordParametersRefused }
        let tag = try Argon2.tag(
            of: password, salt: stored.salt, parameters: stored.parameters, byteCount: stored.tag.count)
        return ConstantTime.equal(tag, stored.tag)
    }

    package func verify(password: [UInt8], against encoded: String) throws(CryptoError) -> Bool {
        try verify(password: password.span, against: encoded)
    }

    /// A stored hash that no password has and that costs as much to check as a real one: what an unknown user is checked against.
    package func decoy(random: (Int) -> [UInt8]) -> String {
        PasswordHash(parameters: parameters, salt: random(Self.saltByteCount), tag: random(Self.tagByteCount)).encoded
    }

    /// Whether a stored hash is one that can be checked here.
    package static func accepts(_ encoded: String, limits: Limits = Limits()) -> Bool {
        (try? PasswordHash(encoded: encoded)).map { limits.allow($0.parameters) } ?? false
    }

    /// Whether a stored hash was made with other parameters, so that the next sign-in should replace it.
    package func needsRehash(_ encoded: String) -> Bool {
        guard let stored = try? PasswordHash(encoded: encoded) else { return true }
        return stored.parameters != parameters || stored.tag.count != Self.tagByteCount
    }
}

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
