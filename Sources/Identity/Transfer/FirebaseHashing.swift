package import Crypto
package import Text

/// How a Firebase project hashes passwords, or those whose hashes it was given: what the console shows as `hash_config`, or the options of the
/// Admin SDKs' import as JSON. Names of either are taken, whatever their letter case and underscores.
package struct FirebaseHashing: Equatable, Sendable {
    /// Why a configuration cannot be used, for the operator.
    package struct Problem: Error, Equatable, Sendable {
        package let text: String

        package init(text: String) {
            self.text = text
        }
    }

    package enum Algorithm: Equatable, Sendable {
        /// All that is the same for every user; salts and tags are the users'.
        case foreign(ForeignHash.Algorithm)
        /// The hash is the text of one.
        case bcrypt
    }

    package let algorithm: Algorithm

    package init(_ algorithm: Algorithm) {
        self.algorithm = algorithm
    }

    /// - Parameter text: as the console shows it, or JSON.
    package init(_ text: String) throws(Problem) {
        algorithm = try Values(text).algorithm()
    }

    /// - Parameter options: with whatever else beside them, such as the users of a request.
    package init(_ options: JSONObject) throws(Problem) {
        algorithm = try Values(options).algorithm()
    }

    /// Whether a check of any of its hashes stays within limits.
    package func isWithin(_ limits: ForeignHash.Limits) -> Bool {
        switch algorithm {
        case .bcrypt: true
        case .foreign(let algorithm): algorithm.isWithin(limits)
        }
    }

    /// What a user's hash is stored as.
    /// - Parameters: in base64 of either alphabet.
    package func stored(hash: String, salt: String, _ limits: ForeignHash.Limits) throws(TransferProblem) -> String {
        guard let hash = LooseBase64.decode(hash), let salt = LooseBase64.decode(salt) else {
            throw TransferProblem(.passwordHash, "hash or salt is not base64")
        }
        return try stored(hash: hash, salt: salt, limits)
    }

    package func stored(hash: [UInt8], salt: [UInt8], _ limits: ForeignHash.Limits) throws(TransferProblem) -> String {
        switch algorithm {
        case .bcrypt:
            guard let text = String(validating: hash, as: UTF8.self) else { throw TransferHashes.unreadable }
            return try TransferHashes.stored(text, isOwn: false, limits)
        case .foreign(let algorithm):
            return try TransferHashes.make(algorithm, salt: salt, tag: Self.tag(hash, algorithm), limits)
        }
    }

    /// Digests come as bytes, or as the hexadecimal digits of them.
    private static func tag(_ hash: [UInt8], _ algorithm: ForeignHash.Algorithm) -> [UInt8] {
        switch algorithm {
        case .digest(let digest, _, _), .hmac(let digest, _, _):
            hash.count == 2 * digest.byteCount ? Hex.decode(hash) ?? hash : hash
        case .firebaseScrypt, .scrypt, .pbkdf2, .argon2: hash
        }
    }
}

/// The settings of a configuration by their plain names.
private struct Values {
    private var values: [String: String] = [:]

    init(_ options: JSONObject) {
        add(options)
    }

    init(_ text: String) {
        if let object = try? JSON.parse(text).objectValue {
            add(object)
        } else {
            for line in text.split(whereSeparator: \.isNewline) {
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2 else { continue }
                add(String(parts[0]), String(parts[1]))
            }
        }
    }

    /// Objects within are looked into: `hashConfig`, `argon2Parameters`.
    private mutating func add(_ object: JSONObject) {
        for member in object.members {
            switch member.value {
            case .object(let inner): add(inner)
            case .string(let text): add(member.key, text)
            case .integer(let number): add(member.key, String(number))
            case .null, .bool, .double, .array: break
            }
        }
    }

    private mutating func add(_ name: String, _ value: String) {
        var name = name.lowercased().filter { $0.isLetter || $0.isNumber }
        if name.hasPrefix("base64") { name.removeFirst(6) }
        var value = value.trimmed
        if value.hasSuffix(",") { value.removeLast() }
        values[name] = value.filter { $0 != "\"" }
    }

    func algorithm() throws(FirebaseHashing.Problem) -> FirebaseHashing.Algorithm {
        guard let name = text("algorithm", "hashalgorithm", "hashalgo")?.uppercased() else {
            throw FirebaseHashing.Problem(text: "it names no algorithm")
        }
        switch name {
        case "BCRYPT": return .bcrypt
        case "SCRYPT":
            let key = try bytes("signerkey", "key", "hashkey")
            let separator = has("saltseparator") ? try bytes("saltseparator") : []
            return .foreign(
                .firebaseScrypt(
                    signerKey: key, separator: separator, rounds: try number("rounds"),
                    memoryCost: try number("memcost", "memorycost")))
        case "STANDARD_SCRYPT":
            let rounds = try number("cpumemcost", "memcost", "memorycost")
            guard rounds.nonzeroBitCount == 1 else { throw FirebaseHashing.Problem(text: "the memory cost is no power of two") }
            return .foreign(
                .scrypt(
                    logRounds: UInt32(rounds.trailingZeroBitCount), blockSize: try number("blocksize"),
                    parallelism: try number("parallelization")))
        case "PBKDF_SHA1": return .foreign(.pbkdf2(.sha1, iterations: try number("rounds")))
        case "PBKDF2_SHA256": return .foreign(.pbkdf2(.sha256, iterations: try number("rounds")))
        case "ARGON2": return .foreign(try argon2())
        case "MD5", "SHA1", "SHA256", "SHA512":
            guard let digest = ForeignHash.Digest(rawValue: name.lowercased()) else {
                throw FirebaseHashing.Problem(text: "no such algorithm")
            }
            return .foreign(.digest(digest, rounds: try number("rounds"), try order(unless: .saltFirst)))
        case "HMAC_MD5", "HMAC_SHA1", "HMAC_SHA256", "HMAC_SHA512":
            guard let digest = ForeignHash.Digest(rawValue: String(name.dropFirst(5)).lowercased()) else {
                throw FirebaseHashing.Problem(text: "no such algorithm")
            }
            return .foreign(
                .hmac(digest, key: try bytes("signerkey", "key", "hashkey"), try order(unless: .passwordFirst)))
        default: throw FirebaseHashing.Problem(text: "there is no algorithm \"\(name.prefix(40))\"")
        }
    }

    func has(_ name: String) -> Bool {
        values[name].map { !$0.isEmpty } ?? false
    }

    func text(_ names: String...) -> String? {
        names.lazy.compactMap { values[$0] }.first { !$0.isEmpty }
    }

    func bytes(_ names: String...) throws(FirebaseHashing.Problem) -> [UInt8] {
        guard let text = names.lazy.compactMap({ values[$0] }).first, let bytes = LooseBase64.decode(text), !bytes.isEmpty else {
            throw FirebaseHashing.Problem(text: "\(names[0]) is missing or not base64")
        }
        return bytes
    }

    func number(_ names: String...) throws(FirebaseHashing.Problem) -> UInt32 {
        guard let text = names.lazy.compactMap({ values[$0] }).first, let number = UInt32(text) else {
            throw FirebaseHashing.Problem(text: "\(names[0]) is missing or not a number")
        }
        return number
    }

    func order(unless standard: ForeignHash.Order) throws(FirebaseHashing.Problem) -> ForeignHash.Order {
        switch text("passwordhashorder", "hashinputorder", "inputorder")?.uppercased() {
        case nil, "UNSPECIFIED_ORDER": return standard
        case "SALT_AND_PASSWORD", "SALT_FIRST": return .saltFirst
        case "PASSWORD_AND_SALT", "PASSWORD_FIRST": return .passwordFirst
        case .some: throw FirebaseHashing.Problem(text: "the order of salt and password is not one that there is")
        }
    }

    func argon2() throws(FirebaseHashing.Problem) -> ForeignHash.Algorithm {
        let kind: ForeignHash.Argon2Kind
        switch text("hashtype")?.uppercased() {
        case "ARGON2_ID": kind = .argon2id
        case "ARGON2_I": kind = .argon2i
        case "ARGON2_D": kind = .argon2d
        default: throw FirebaseHashing.Problem(text: "the kind of argon2 is missing")
        }
        return .argon2(
            kind, version: text("version")?.uppercased() == "VERSION_10" ? 16 : 19, memoryKiB: try number("memorycostkib"),
            iterations: try number("iterations"), parallelism: try number("parallelism"),
            data: has("associateddata") ? try bytes("associateddata") : [])
    }
}
