/// The checks on a foreign RSA key that come before any arithmetic with it.
enum RSAPublicNumbers {
    /// Shorter keys are not safe (RFC 7518 §3.3); longer ones make every verification dear.
    static let modulusBits = 2048...8192

    /// Both numbers are unsigned, most significant byte first, without leading zeros (RFC 7518 §6.3.1).
    static func validate(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        guard let leading = modulus.first, leading != 0, let last = modulus.last else { throw .invalidKey(.malformed) }
        let bits = modulus.count * 8 - leading.leadingZeroBitCount
        guard bits >= modulusBits.lowerBound else { throw .invalidKey(.modulusTooShort) }
        guard bits <= modulusBits.upperBound else { throw .invalidKey(.modulusTooLong) }
        guard last & 1 == 1 else { throw .invalidKey(.modulusEven) }
        guard let first = exponent.first, first != 0 else { throw .invalidKey(.malformed) }
        guard exponent.count <= 4 else { throw .invalidKey(.exponentRefused) }
        let value = exponent.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard value >= 3, value & 1 == 1 else { throw .invalidKey(.exponentRefused) }
        guard !hasROCAFingerprint(modulus) else { throw .invalidKey(.modulusFactorable) }
    }

    /// Whether the modulus was very likely made by the generator of CVE-2017-15361: modulo every small prime it is then a power
    /// of 65537. A random modulus passes all these tests with a probability of about 2⁻²⁷.
    private static func hasROCAFingerprint(_ modulus: [UInt8]) -> Bool {
        fingerprintPrimes.allSatisfy { prime in
            let remainder = modulus.reduce(UInt32(0)) { ($0 << 8 | UInt32($1)) % prime }
            var power: UInt32 = 1
            repeat {
                if power == remainder { return true }
                power = power * 65537 % prime
            } while power != 1
            return false
        }
    }

    private static let fingerprintPrimes: [UInt32] = [
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127,
        131, 137, 139, 149, 151, 157, 163, 167,
    ]
}
