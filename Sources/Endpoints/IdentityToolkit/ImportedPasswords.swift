import Crypto
import Text

/// How the hashes of a batch were made (contract §5.10), which its users' hashes are read with.
struct ImportedPasswords {
    private let algorithm: ForeignHash.Algorithm?
    private let limits = ForeignHash.Limits()

    /// - Throws: `INVALID_HASH_ALGORITHM` for one that cannot be checked, or parameters that ask for too much.
    init(_ fields: IdentityToolkit.Fields) throws(IdentityToolkit.Failure) {
        guard let name = fields.nonEmpty("hashAlgorithm") else { throw IdentityToolkit.Failure("MISSING_HASH_ALGORITHM") }
        if name == "BCRYPT" {
            algorithm = nil
            return
        }
        guard let algorithm = Self.algorithm(name, fields) else {
            throw IdentityToolkit.Failure("INVALID_HASH_ALGORITHM", "Unknown, or its parameters are missing or out of range.")
        }
        self.algorithm = algorithm
    }

    private static func algorithm(_ name: String, _ fields: IdentityToolkit.Fields) -> ForeignHash.Algorithm? {
        func number(_ name: String) -> UInt32? { fields.integer(name).flatMap { UInt32(exactly: $0) } }
        let key = bytes(fields.text("signerKey") ?? "") ?? []
        let order: ForeignHash.Order? =
            switch fields.nonEmpty("passwordHashOrder") {
            case "SALT_AND_PASSWORD": .saltFirst
            case "PASSWORD_AND_SALT": .passwordFirst
            default: nil
            }
        let rounds = number("rounds")
        switch name {
        case "SCRYPT":
            guard let rounds, let memory = number("memoryCost") else { return nil }
            return .firebaseScrypt(
                signerKey: key, separator: bytes(fields.text("saltSeparator") ?? "") ?? [], rounds: rounds, memoryCost: memory)
        case "STANDARD_SCRYPT":
            guard let cost = number("cpuMemCost") ?? number("memoryCost"), cost > 1, cost & (cost - 1) == 0,
                let block = number("blockSize"), let lanes = number("parallelization")
            else { return nil }
            return .scrypt(logRounds: UInt32(cost.trailingZeroBitCount), blockSize: block, parallelism: lanes)
        case "PBKDF_SHA1": return rounds.map { .pbkdf2(.sha1, iterations: $0) }
        case "PBKDF2_SHA256": return rounds.map { .pbkdf2(.sha256, iterations: $0) }
        case "HMAC_MD5": return .hmac(.md5, key: key, order ?? .passwordFirst)
        case "HMAC_SHA1": return .hmac(.sha1, key: key, order ?? .passwordFirst)
        case "HMAC_SHA256": return .hmac(.sha256, key: key, order ?? .passwordFirst)
        case "HMAC_SHA512": return .hmac(.sha512, key: key, order ?? .passwordFirst)
        case "MD5": return .digest(.md5, rounds: rounds ?? 0, order ?? .saltFirst)
        case "SHA1": return .digest(.sha1, rounds: rounds ?? 1, order ?? .saltFirst)
        case "SHA256": return .digest(.sha256, rounds: rounds ?? 1, order ?? .saltFirst)
        case "SHA512": return .digest(.sha512, rounds: rounds ?? 1, order ?? .saltFirst)
        default: return nil
        }
    }

    /// As a user keeps it; nil for what cannot be the hash of any password, or asks for too much.
    func stored(hash: String, salt: String) -> String? {
        guard let tag = Self.bytes(hash) else { return nil }
        guard let algorithm else {
            // The whole text of bcrypt, its salt in it.
            let text = String(decoding: tag, as: UTF8.self)
            return text.hasPrefix("$2") && text.utf8.count == 60 ? text : nil
        }
        guard let salt = Self.bytes(salt), let made = try? ForeignHash(algorithm, salt: salt, tag: tag), made.isWithin(limits)
        else { return nil }
        return made.encoded
    }

    /// Base64 of either alphabet, with or without padding.
    private static func bytes(_ text: String) -> [UInt8]? {
        var plain = ""
        for character in text.prefix(8192) where character != "=" {
            plain.append(character == "+" ? "-" : character == "/" ? "_" : character)
        }
        return Base64URL.decode(plain)
    }
}
