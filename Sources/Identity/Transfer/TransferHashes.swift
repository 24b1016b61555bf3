package import Crypto
import Text

/// What a password hash of another system is stored as, if it can be checked.
package enum TransferHashes {
    /// A hash that is spelled as here: argon2id, bcrypt, or one of `ForeignHash`.
    /// - Parameter isOwn: whether argon2id's is one of ours, which is kept as it is.
    package static func stored(
        _ text: String, isOwn: Bool, _ limits: ForeignHash.Limits
    ) throws(TransferProblem) -> String {
        if Bcrypt.made(text) {
            guard Bcrypt.cost(of: text) != nil else { throw tooDear }
            return text
        }
        if isOwn, text.hasPrefix("$argon2id$") {
            guard Argon2id.accepts(text) else { throw unreadable }
            return text
        }
        let spelled = text.hasPrefix("$argon2id$") ? "$imported-" + text.dropFirst() : text
        return try stored(try reading { () throws(CryptoError) in try ForeignHash(encoded: spelled) }, limits)
    }

    package static func stored(_ hash: ForeignHash, _ limits: ForeignHash.Limits) throws(TransferProblem) -> String {
        guard hash.isWithin(limits) else { throw tooDear }
        return hash.encoded
    }

    static func make(
        _ algorithm: ForeignHash.Algorithm, salt: [UInt8], tag: [UInt8], _ limits: ForeignHash.Limits
    ) throws(TransferProblem) -> String {
        try stored(try reading { () throws(CryptoError) in try ForeignHash(algorithm, salt: salt, tag: tag) }, limits)
    }

    private static func reading(_ body: () throws(CryptoError) -> ForeignHash) throws(TransferProblem) -> ForeignHash {
        do throws(CryptoError) {
            return try body()
        } catch {
            throw unreadable
        }
    }

    static let unreadable = TransferProblem(.passwordHash, "not a hash that can be checked here")
    private static let tooDear = TransferProblem(.passwordHash, "a check would take more than is permitted")

    /// As GoTrue writes it, base64 with padding.
    static func withoutPadding(_ text: String) -> String {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        return fields.enumerated().map { index, field in
            field.split(separator: ",", omittingEmptySubsequences: false).map { part in
                // The sign behind the name of a parameter is none of the padding.
                let name = part.firstIndex(of: "=").map { part[...$0] } ?? ""
                let isParameter = !name.isEmpty && name.utf8.count <= 3 && index < fields.count - 2
                var value = isParameter ? part[name.endIndex...] : part
                while value.hasSuffix("=") { value = value.dropLast() }
                return isParameter ? String(name + value) : String(value)
            }.joined(separator: ",")
        }.joined(separator: "$")
    }
}

/// Base64 in either alphabet, padded or not, as people paste it.
enum LooseBase64 {
    static func decode(_ text: String) -> [UInt8]? {
        var bytes = Array(text.utf8)
        while bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "+"): bytes[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): bytes[index] = UInt8(ascii: "_")
            default: break
            }
        }
        return Base64URL.decode(bytes)
    }
}

/// Django's `algorithm$…` (django.contrib.auth.hashers).
enum DjangoHashes {
    /// Nil for an unusable password, with which nobody signs in.
    static func stored(_ text: String, _ limits: ForeignHash.Limits) throws(TransferProblem) -> String? {
        guard !text.isEmpty, !text.hasPrefix("!") else { return nil }
        let fields = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        switch fields[0] {
        case "argon2": return try TransferHashes.stored(String(text.dropFirst(6)), isOwn: false, limits)
        case "bcrypt": return try TransferHashes.stored(String(text.dropFirst(7)), isOwn: false, limits)
        case "bcrypt_sha256":
            return try TransferHashes.stored(Bcrypt.digestMark + text.dropFirst(14), isOwn: false, limits)
        case "pbkdf2_sha256", "pbkdf2_sha1":
            guard fields.count == 4, let iterations = UInt32(fields[1]), let tag = LooseBase64.decode(fields[3]) else { break }
            return try TransferHashes.make(
                .pbkdf2(fields[0] == "pbkdf2_sha1" ? .sha1 : .sha256, iterations: iterations), salt: Array(fields[2].utf8),
                tag: tag,
                limits)
        case "scrypt":
            guard fields.count == 6, let rounds = UInt32(fields[1]), rounds.nonzeroBitCount == 1,
                let blockSize = UInt32(fields[3]),
                let parallelism = UInt32(fields[4]), let tag = LooseBase64.decode(fields[5])
            else { break }
            return try TransferHashes.make(
                .scrypt(logRounds: UInt32(rounds.trailingZeroBitCount), blockSize: blockSize, parallelism: parallelism),
                salt: Array(fields[2].utf8), tag: tag, limits)
        case "md5", "sha1":
            guard fields.count == 3, let tag = Hex.decode(fields[2]) else { break }
            guard !fields[1].isEmpty else { throw TransferProblem(.passwordHash, "a digest without a salt is refused") }
            let isMD5 = fields[0] == "md5"
            return try TransferHashes.make(
                .digest(isMD5 ? .md5 : .sha1, rounds: isMD5 ? 0 : 1, .saltFirst), salt: Array(fields[1].utf8), tag: tag, limits)
        default: break
        }
        throw TransferHashes.unreadable
    }
}
