import COpenSSL

/// A stored argon2id password hash, in the PHC string format that argon2's own tools write:
/// `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`.
struct PasswordHash: Equatable {
    static let saltByteCounts = 8...64
    static let tagByteCounts = 16...64

    private static let scheme = "argon2id"
    /// Version 1.3 of argon2 (0x13), the one of RFC 9106.
    private static let version = "v=19"
    private static let maximumEncodedByteCount = 256

    let parameters: Argon2id.Parameters
    let salt: [UInt8]
    let tag: [UInt8]

    init(parameters: Argon2id.Parameters, salt: [UInt8], tag: [UInt8]) {
        self.parameters = parameters
        self.salt = salt
        self.tag = tag
    }

    /// Reads the one canonical spelling. No work is done with the parameters yet, so any that fit 32 bits are read.
    init(encoded: String) throws(CryptoError) {
        guard encoded.utf8.count <= Self.maximumEncodedByteCount else { throw .malformedPasswordHash }
        let fields = encoded.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        guard fields.count == 6, fields[0].isEmpty, fields[1] == Self.scheme, fields[2] == Self.version,
            let parameters = Self.parameters(fields[3]),
            let salt = UnpaddedBase64.decode(fields[4]), Self.saltByteCounts.contains(salt.count),
            let tag = UnpaddedBase64.decode(fields[5]), Self.tagByteCounts.contains(tag.count)
        else { throw .malformedPasswordHash }
        self.init(parameters: parameters, salt: salt, tag: tag)
    }

    var encoded: String {
        let costs = "m=\(parameters.memoryKiB),t=\(parameters.iterations),p=\(parameters.parallelism)"
        return "$\(Self.scheme)$\(Self.version)$\(costs)$\(UnpaddedBase64.encode(salt))$\(UnpaddedBase64.encode(tag))"
    }

    private static func parameters(_ text: String) -> Argon2id.Parameters? {
        let costs = text.split(separator: ",", omittingEmptySubsequences: false)
        guard costs.count == 3,
            let memoryKiB = number(costs[0], after: "m="),
            let iterations = number(costs[1], after: "t="),
            let parallelism = number(costs[2], after: "p=")
        else { return nil }
        return Argon2id.Parameters(memoryKiB: memoryKiB, iterations: iterations, parallelism: parallelism)
    }

    /// A decimal number without sign or leading zeros.
    private static func number(_ text: Substring, after prefix: String) -> UInt32? {
        guard text.hasPrefix(prefix), let value = UInt32(text.dropFirst(prefix.count)) else { return nil }
        return "\(prefix)\(value)" == text ? value : nil
    }
}

/// The standard base64 alphabet (RFC 4648 §4) without padding, as PHC strings spell binary fields.
enum UnpaddedBase64 {
    static func encode(_ bytes: [UInt8]) -> String {
        var output = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let length = unsafe Int(EVP_EncodeBlock(&output, bytes, Int32(bytes.count)))
        return String(decoding: output[..<length].prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }

    /// `nil` for anything that ``encode(_:)`` would not have written.
    static func decode(_ text: String) -> [UInt8]? {
        let padding = (4 - text.utf8.count % 4) % 4
        guard padding < 3 else { return nil }
        let padded = Array(text.utf8) + [UInt8](repeating: UInt8(ascii: "="), count: padding)
        var output = [UInt8](repeating: 0, count: padded.count / 4 * 3)
        let length = unsafe Int(EVP_DecodeBlock(&output, padded, Int32(padded.count)))
        ERR_clear_error()
        guard length >= padding else { return nil }
        let decoded = [UInt8](output[..<(length - padding)])
        // The library skips white space and ignores trailing bits; writing the bytes again shows any such liberty.
        return encode(decoded) == text ? decoded : nil
    }
}
