/// How dear password hashes are to check, by their kind, so that as much work can be done for nothing: the time of a check then does not
/// tell what is stored.
package enum HashWork: String, Sendable, CaseIterable {
    /// In logarithms of rounds: each is twice the work of the one below.
    case bcrypt
    /// In `N` times `r` times `p`, Firebase's too.
    case scrypt
    /// In iterations.
    case pbkdf2SHA1 = "pbkdf2-sha1"
    case pbkdf2SHA256 = "pbkdf2-sha256"
    case pbkdf2SHA512 = "pbkdf2-sha512"
    /// In KiB times passes, of all three kinds.
    case argon2
    /// In rounds of a digest.
    case digest

    /// What a check of a stored hash takes; nil for what is none that can be checked.
    package static func of(_ stored: String) -> (kind: HashWork, cost: Int)? {
        if let cost = Bcrypt.cost(of: stored) { return (.bcrypt, cost) }
        guard let hash = try? ForeignHash(encoded: stored) else { return nil }
        switch hash.algorithm {
        case .firebaseScrypt(_, _, let rounds, let memoryCost): return (.scrypt, Int(rounds) << Int(memoryCost))
        case .scrypt(let logRounds, let blockSize, let parallelism):
            return (.scrypt, (Int(blockSize) << Int(logRounds)).multipliedClamped(by: Int(parallelism)))
        case .pbkdf2(.sha1, let iterations): return (.pbkdf2SHA1, Int(iterations))
        case .pbkdf2(.sha512, let iterations): return (.pbkdf2SHA512, Int(iterations))
        case .pbkdf2(_, let iterations): return (.pbkdf2SHA256, Int(iterations))
        case .argon2(_, _, let memoryKiB, let iterations, _, _): return (.argon2, Int(memoryKiB) * Int(iterations))
        case .hmac: return (.digest, 1)
        case .digest(_, let rounds, _): return (.digest, Int(rounds))
        }
    }

    /// The most that a check may cost; what is stored and dearer cannot be checked.
    package func highest(_ limits: ForeignHash.Limits) -> Int {
        switch self {
        case .bcrypt: Bcrypt.costs.upperBound
        // A unit is 128 bytes.
        case .scrypt: Int(limits.memoryKiB) * 8
        case .pbkdf2SHA1, .pbkdf2SHA256, .pbkdf2SHA512: Int(limits.iterations)
        case .argon2: Int(limits.argon2Work)
        case .digest: Int(ForeignHash.Limits.rounds)
        }
    }

    /// Does work of this kind for nothing. Bcrypt's costs are not added up: one call does the work of one.
    package func perform(_ cost: Int, password: [UInt8], limits: ForeignHash.Limits) throws(CryptoError) {
        guard cost > 0 else { return }
        let salt = [UInt8](repeating: 0, count: 16)
        switch self {
        case .bcrypt: _ = try Bcrypt.work(password: password, cost: cost)
        case .scrypt: try performScrypt(cost, password, salt, limits)
        case .pbkdf2SHA1:
            _ = try KeyDerivation.pbkdf2(password, salt: salt, iterations: Int32(clamping: cost), .sha1, byteCount: 20)
        case .pbkdf2SHA256:
            _ = try KeyDerivation.pbkdf2(password, salt: salt, iterations: Int32(clamping: cost), .sha256, byteCount: 32)
        case .pbkdf2SHA512:
            _ = try KeyDerivation.pbkdf2(password, salt: salt, iterations: Int32(clamping: cost), .sha512, byteCount: 64)
        case .argon2: try performArgon2(cost, password, salt, limits)
        case .digest:
            var value = salt
            for _ in 0..<cost { value = try KeyDerivation.hash(value, .sha256) }
        }
    }

    /// In pieces of 16 MiB, the size of nearly all hashes that there are.
    private func performScrypt(
        _ cost: Int, _ password: [UInt8], _ salt: [UInt8], _ limits: ForeignHash.Limits
    ) throws(CryptoError) {
        let blockSize = 8
        var rest = cost / blockSize
        while rest > 1 {
            let logRounds = min(14, Int.bitWidth - 1 - rest.leadingZeroBitCount)
            _ = try KeyDerivation.scrypt(
                password, salt: salt, rounds: 1 << UInt64(logRounds), blockSize: UInt64(blockSize), parallelism: 1, byteCount: 32,
                memoryLimit: max(ForeignHash.libraryLimit(limits), 32 << 20))
            rest -= 1 << logRounds
            // The halves of what is left are not worth the telling.
            if rest < 64 { return }
        }
    }

    private func performArgon2(
        _ cost: Int, _ password: [UInt8], _ salt: [UInt8], _ limits: ForeignHash.Limits
    ) throws(CryptoError) {
        guard cost >= 8 else { return }
        let memoryKiB = min(cost, Int(limits.memoryKiB), 65_536)
        var passes = max(1, cost / memoryKiB)
        while passes > 0 {
            let now = min(passes, Int(ForeignHash.Limits.passes))
            let parameters = Argon2id.Parameters(memoryKiB: UInt32(memoryKiB), iterations: UInt32(now), parallelism: 1)
            _ = try Argon2.tag(of: password.span, salt: salt, parameters: parameters, byteCount: 32)
            passes -= now
        }
    }
}

extension Int {
    fileprivate func multipliedClamped(by other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
