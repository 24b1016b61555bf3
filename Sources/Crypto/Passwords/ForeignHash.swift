/// A password hash that another system has made: not argon2id of ours, and not bcrypt's text. None that is kept is ever made here.
///
/// The stored form is one line in the manner of PHC strings (`ForeignHash+Text`). A check takes up to seconds of one core and as much
/// memory as ``Limits`` permits, on the calling thread: never call it on an event loop.
package struct ForeignHash: Equatable, Sendable {
    /// In which order password and salt are put together.
    package enum Order: String, Sendable {
        case saltFirst = "sp"
        case passwordFirst = "ps"
    }

    package enum Digest: String, Sendable, CaseIterable {
        case md5, sha1, sha256, sha512

        package var byteCount: Int { name.byteCount }

        var name: KeyDerivation.DigestName {
            switch self {
            case .md5: .md5
            case .sha1: .sha1
            case .sha256: .sha256
            case .sha512: .sha512
            }
        }
    }

    package enum Argon2Kind: String, Sendable, CaseIterable {
        case argon2d, argon2i
        /// Not `argon2id`, which is the scheme of the hashes that are made here.
        case argon2id = "imported-argon2id"

        var kind: Argon2.Kind {
            switch self {
            case .argon2d: .argon2d
            case .argon2i: .argon2i
            case .argon2id: .argon2id
            }
        }
    }

    package enum Algorithm: Equatable, Sendable {
        /// Firebase's: the signer key, encrypted with AES-256-CTR under a key by scrypt. `rounds` is scrypt's `r`.
        case firebaseScrypt(signerKey: [UInt8], separator: [UInt8], rounds: UInt32, memoryCost: UInt32)
        /// RFC 7914; `logRounds` is the logarithm of `N`.
        case scrypt(logRounds: UInt32, blockSize: UInt32, parallelism: UInt32)
        /// RFC 8018; never of MD5.
        case pbkdf2(Digest, iterations: UInt32)
        /// - Parameter version: 16 or 19.
        case argon2(Argon2Kind, version: UInt32, memoryKiB: UInt32, iterations: UInt32, parallelism: UInt32, data: [UInt8])
        case hmac(Digest, key: [UInt8], Order)
        /// Of salt and password together. SHA: as many rounds in all, each of the digest before. MD5: as many more rounds, each of the digest
        /// before and the password, which is how Firebase and phpass count.
        case digest(Digest, rounds: UInt32, Order)
    }

    /// What a hash may cost, whether it is imported or checked. What costs more is refused before any work.
    package struct Limits: Equatable, Sendable {
        /// Of scrypt and argon2, and of all lanes of scrypt together.
        package let memoryKiB: UInt32
        /// Of PBKDF2.
        package let iterations: UInt32

        package init(memoryKiB: UInt32 = 256 * 1024, iterations: UInt32 = 2_000_000) {
            self.memoryKiB = memoryKiB
            self.iterations = iterations
        }

        /// Of a digest by itself.
        static let rounds: UInt32 = 120_000
        /// Of argon2, in KiB times passes: about a second.
        var argon2Work: UInt64 { 4 * UInt64(memoryKiB) }
        /// Passes of argon2.
        static let passes: UInt32 = 16
        static let lanes: UInt32 = 16
    }

    /// Of a salt, a separator, a key and argon2's data, in bytes.
    static let maximumPartByteCount = 255
    /// Below it, too many passwords are right.
    static let tagByteCounts = 16...128

    package let algorithm: Algorithm
    package let salt: [UInt8]
    package let tag: [UInt8]

    /// - Throws: `malformedPasswordHash` for what no such hash can be, whatever the limits.
    package init(_ algorithm: Algorithm, salt: [UInt8], tag: [UInt8]) throws(CryptoError) {
        self.algorithm = algorithm
        self.salt = salt
        self.tag = tag
        guard salt.count <= Self.maximumPartByteCount, Self.tagByteCounts.contains(tag.count), isPlausible else {
            throw .malformedPasswordHash
        }
    }

    private var isPlausible: Bool {
        func isPart(_ bytes: [UInt8]) -> Bool { bytes.count <= Self.maximumPartByteCount }
        switch algorithm {
        case .firebaseScrypt(let key, let separator, let rounds, let memoryCost):
            return isPart(key) && isPart(separator) && tag.count == key.count && (1...1024).contains(rounds)
                && (1...30).contains(memoryCost)
        case .scrypt(let logRounds, let blockSize, let parallelism):
            return (1...30).contains(logRounds) && blockSize > 0 && parallelism > 0 && UInt64(logRounds) < 16 * UInt64(blockSize)
        case .pbkdf2(let digest, let iterations): return digest != .md5 && iterations > 0
        case .argon2(_, let version, let memoryKiB, let iterations, let parallelism, let data):
            return Argon2.Version(rawValue: version) != nil && isPart(data) && Argon2.saltByteCounts.contains(salt.count)
                && parallelism > 0 && iterations > 0 && UInt64(memoryKiB) >= 8 * UInt64(parallelism)
        case .hmac(let digest, let key, _): return isPart(key) && !key.isEmpty && tag.count == digest.byteCount
        case .digest(let digest, let rounds, _): return (rounds > 0 || digest == .md5) && tag.count == digest.byteCount
        }
    }

    /// Whether a check stays within limits.
    package func isWithin(_ limits: Limits) -> Bool {
        algorithm.isWithin(limits)
    }

    /// Whether this is the password. The tags are compared in constant time.
    /// - Throws: `passwordParametersRefused` for a hash that asks for more than the limits, before any memory or time is spent.
    package func isRight(_ password: [UInt8], limits: Limits) throws(CryptoError) -> Bool {
        guard isWithin(limits) else { throw .passwordParametersRefused }
        let isEqual = ConstantTime.equal(try computed(password, limits), tag)
        // HMAC pads its key with zeros (RFC 2104 §2): a password and the same with a zero behind it have one hash.
        return isEqual && !password.contains(0)
    }

    private func computed(_ password: [UInt8], _ limits: Limits) throws(CryptoError) -> [UInt8] {
        switch algorithm {
        case .firebaseScrypt(let signerKey, let separator, let rounds, let memoryCost):
            let key = try KeyDerivation.scrypt(
                password, salt: salt + separator, rounds: 1 << UInt64(memoryCost), blockSize: UInt64(rounds), parallelism: 1,
                byteCount: 32, memoryLimit: Self.libraryLimit(limits))
            return try KeyDerivation.aes256CTR(signerKey, key: key)
        case .scrypt(let logRounds, let blockSize, let parallelism):
            return try KeyDerivation.scrypt(
                password, salt: salt, rounds: 1 << UInt64(logRounds), blockSize: UInt64(blockSize),
                parallelism: UInt64(parallelism), byteCount: tag.count, memoryLimit: Self.libraryLimit(limits))
        case .pbkdf2(let digest, let iterations):
            return try KeyDerivation.pbkdf2(
                password, salt: salt, iterations: Int32(clamping: iterations), digest.name, byteCount: tag.count)
        case .argon2(let kind, let version, let memoryKiB, let iterations, let parallelism, let data):
            guard let version = Argon2.Version(rawValue: version) else { throw .malformedPasswordHash }
            return try Argon2.tag(
                of: password.span, salt: salt,
                parameters: Argon2id.Parameters(memoryKiB: memoryKiB, iterations: iterations, parallelism: parallelism),
                byteCount: tag.count, kind: kind.kind, version: version, associatedData: data)
        case .hmac(let digest, let key, let order):
            return try KeyDerivation.hmac(joined(password, order), key: key, digest.name)
        case .digest(let digest, let rounds, let order):
            var value = try KeyDerivation.hash(joined(password, order), digest.name)
            if digest == .md5 {
                for _ in 0..<rounds { value = try KeyDerivation.hash(value + password, .md5) }
            } else {
                for _ in 1..<max(1, rounds) { value = try KeyDerivation.hash(value, digest.name) }
            }
            return value
        }
    }

    private func joined(_ password: [UInt8], _ order: Order) -> [UInt8] {
        order == .saltFirst ? salt + password : password + salt
    }

    /// What the library may take: what was permitted, and its own tables.
    static func libraryLimit(_ limits: Limits) -> UInt64 {
        UInt64(limits.memoryKiB) * 1024 + (1 << 20)
    }
}

extension ForeignHash.Algorithm {
    /// Whether a check stays within limits of memory and time.
    package func isWithin(_ limits: ForeignHash.Limits) -> Bool {
        let memory = UInt64(limits.memoryKiB) * 1024
        switch self {
        case .firebaseScrypt(_, _, let rounds, let memoryCost):
            return memoryCost < 32 && rounds <= 1024 && (128 * UInt64(rounds)) << UInt64(memoryCost) <= memory
        case .scrypt(let logRounds, let blockSize, let parallelism):
            guard logRounds < 32 else { return false }
            let (lane, overflow) = (UInt64(128) << UInt64(logRounds)).multipliedReportingOverflow(by: UInt64(blockSize))
            let (all, overflows) = lane.multipliedReportingOverflow(by: UInt64(parallelism))
            return !overflow && !overflows && all <= memory
        case .pbkdf2(_, let iterations): return iterations <= limits.iterations
        case .argon2(_, _, let memoryKiB, let iterations, let parallelism, _):
            return memoryKiB <= limits.memoryKiB && iterations <= ForeignHash.Limits.passes
                && parallelism <= ForeignHash.Limits.lanes
                && UInt64(memoryKiB) * UInt64(iterations) <= limits.argon2Work
        case .hmac: return true
        case .digest(_, let rounds, _): return rounds <= ForeignHash.Limits.rounds
        }
    }
}
