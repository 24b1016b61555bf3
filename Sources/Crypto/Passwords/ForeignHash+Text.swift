import Text

/// The stored form: `$scheme$parameters$salt$tag` (argon2 has `$v=…` between), binary fields in base64 without padding, numbers without sign
/// and leading zeros, the parameters in this order. One value has one spelling.
///
///     $fbscrypt$v=1,n=14,r=8,p=1,ss=Bw,sk=<signer key>$<salt>$<tag>
///     $scrypt$ln=14,r=8,p=1$<salt>$<tag>
///     $pbkdf2-sha256$i=600000$<salt>$<tag>
///     $argon2i$v=19$m=65536,t=3,p=4[,data=<data>]$<salt>$<tag>   (and $argon2d$, $imported-argon2id$)
///     $hmac-sha256$k=<key>,o=ps$<salt>$<tag>
///     $sha256$i=1,o=sp$<salt>$<tag>
extension ForeignHash {
    private static let maximumEncodedByteCount = 1200

    package var encoded: String {
        "$\(header)$\(UnpaddedBase64.encode(salt))$\(UnpaddedBase64.encode(tag))"
    }

    private var header: String {
        switch algorithm {
        case .firebaseScrypt(let key, let separator, let rounds, let memoryCost):
            "fbscrypt$v=1,n=\(memoryCost),r=\(rounds),p=1,ss=\(UnpaddedBase64.encode(separator)),sk=\(UnpaddedBase64.encode(key))"
        case .scrypt(let logRounds, let blockSize, let parallelism): "scrypt$ln=\(logRounds),r=\(blockSize),p=\(parallelism)"
        case .pbkdf2(let digest, let iterations): "pbkdf2-\(digest.rawValue)$i=\(iterations)"
        case .argon2(let kind, let version, let memoryKiB, let iterations, let parallelism, let data):
            "\(kind.rawValue)$v=\(version)$m=\(memoryKiB),t=\(iterations),p=\(parallelism)"
                + (data.isEmpty ? "" : ",data=\(UnpaddedBase64.encode(data))")
        case .hmac(let digest, let key, let order): "hmac-\(digest.rawValue)$k=\(UnpaddedBase64.encode(key)),o=\(order.rawValue)"
        case .digest(let digest, let rounds, let order): "\(digest.rawValue)$i=\(rounds),o=\(order.rawValue)"
        }
    }

    /// Reads the one canonical spelling. No work is done with the parameters yet.
    package init(encoded: String) throws(CryptoError) {
        guard encoded.utf8.count <= Self.maximumEncodedByteCount else { throw .malformedPasswordHash }
        let fields = encoded.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        guard fields.count >= 5, fields[0].isEmpty, let salt = UnpaddedBase64.decode(fields[fields.count - 2]),
            let tag = UnpaddedBase64.decode(fields[fields.count - 1]),
            let algorithm = Self.algorithm(fields[1], Array(fields[2..<(fields.count - 2)]))
        else { throw .malformedPasswordHash }
        try self.init(algorithm, salt: salt, tag: tag)
        // Signs, leading zeros and other spellings of the same.
        guard self.encoded.utf8.elementsEqual(encoded.utf8) else { throw .malformedPasswordHash }
    }

    private static func algorithm(_ scheme: String, _ fields: [String]) -> Algorithm? {
        guard let last = fields.last else { return nil }
        let values = HashParameters(last)
        if let kind = Argon2Kind(rawValue: scheme) {
            guard fields.count == 2, let version = HashParameters(fields[0]).number("v"), let memoryKiB = values.number("m"),
                let iterations = values.number("t"), let parallelism = values.number("p"), let data = values.optionalBytes("data")
            else { return nil }
            return .argon2(
                kind, version: version, memoryKiB: memoryKiB, iterations: iterations, parallelism: parallelism, data: data)
        }
        guard fields.count == 1 else { return nil }
        switch scheme {
        case "fbscrypt":
            guard let key = values.bytes("sk"), let separator = values.bytes("ss"), let rounds = values.number("r"),
                let memoryCost = values.number("n")
            else { return nil }
            return .firebaseScrypt(signerKey: key, separator: separator, rounds: rounds, memoryCost: memoryCost)
        case "scrypt":
            guard let logRounds = values.number("ln"), let blockSize = values.number("r"), let parallelism = values.number("p")
            else {
                return nil
            }
            return .scrypt(logRounds: logRounds, blockSize: blockSize, parallelism: parallelism)
        default: return digestAlgorithm(scheme, values)
        }
    }

    private static func digestAlgorithm(_ scheme: String, _ values: HashParameters) -> Algorithm? {
        if scheme.hasPrefix("pbkdf2-"), let digest = Digest(rawValue: String(scheme.dropFirst(7))) {
            return values.number("i").map { .pbkdf2(digest, iterations: $0) }
        }
        guard let order = values.text("o").flatMap({ Order(rawValue: $0) }) else { return nil }
        if scheme.hasPrefix("hmac-"), let digest = Digest(rawValue: String(scheme.dropFirst(5))) {
            return values.bytes("k").map { .hmac(digest, key: $0, order) }
        }
        guard let digest = Digest(rawValue: scheme) else { return nil }
        return values.number("i").map { .digest(digest, rounds: $0, order) }
    }
}

/// `a=1,b=x`; what is written twice has its first value, which the comparison with the one spelling then refuses.
private struct HashParameters {
    private let pairs: [(name: Substring, value: Substring)]

    init(_ text: String) {
        pairs = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let name = part.prefix { $0 != "=" }
            return (name, part.dropFirst(name.count + 1))
        }
    }

    func text(_ name: String) -> String? {
        pairs.first { $0.name == name }.map { String($0.value) }
    }

    func number(_ name: String) -> UInt32? {
        text(name).flatMap { UInt32($0) }
    }

    func bytes(_ name: String) -> [UInt8]? {
        text(name).flatMap { UnpaddedBase64.decode($0) }
    }

    /// Nothing when there is none; nil when it cannot be read.
    func optionalBytes(_ name: String) -> [UInt8]? {
        text(name) == nil ? [] : bytes(name)
    }
}
