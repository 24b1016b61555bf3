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
