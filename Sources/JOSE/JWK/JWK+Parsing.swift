package import Crypto
package import Text

extension JWK {
    /// Longer names are no names.
    static let maximumKeyIDByteCount = 256

    /// The members of RFC 7518 §6.2.2, §6.3.2 and §6.4.1 that only a private or symmetric key has.
    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// Reads a public key for signatures. Unknown members, certificates among them, are ignored (RFC 7517 §4).
    package init(parsing value: JSONValue) throws(JWKDefect) {
        guard let object = value.objectValue else { throw .notObject }
        guard !Self.privateMembers.contains(where: { object[$0] != nil }) else { throw .privateKeyExposed }
        try Self.checkPurpose(object)
        let keyID = try Self.keyID(object)
        let key = try Self.key(object)
        let algorithm = try Self.algorithm(object)
        if let algorithm, !key.algorithms.contains(algorithm) { throw .algorithmDoesNotFit }
        self.init(key: key, keyID: keyID, algorithm: algorithm)
    }

    /// RFC 7517 §4.2 and §4.3.
    private static func checkPurpose(_ object: JSONObject) throws(JWKDefect) {
        if let use = object["use"] {
            guard let use = use.stringValue else { throw .invalidMember("use") }
            guard use == "sig" else { throw .notForVerification }
        }
        if let operations = object["key_ops"] {
            guard let values = operations.arrayValue else { throw .invalidMember("key_ops") }
            let names = values.compactMap(\.stringValue)
            guard names.count == values.count, Set(names).count == names.count else { throw .invalidMember("key_ops") }
            guard names.contains("verify"), names.allSatisfy({ $0 == "verify" || $0 == "sign" }) else {
                throw .notForVerification
            }
        }
    }

    private static func keyID(_ object: JSONObject) throws(JWKDefect) -> String? {
        guard let value = object["kid"] else { return nil }
        guard let keyID = value.stringValue, (1...maximumKeyIDByteCount).contains(keyID.utf8.count) else {
            throw .invalidMember("kid")
        }
        return keyID
    }

    private static func algorithm(_ object: JSONObject) throws(JWKDefect) -> SignatureAlgorithm? {
        guard let value = object["alg"] else { return nil }
        guard let name = value.stringValue else { throw .invalidMember("alg") }
        guard let algorithm = SignatureAlgorithm(rawValue: name) else { throw .unsupportedAlgorithm }
        return algorithm
    }

    private static func key(_ object: JSONObject) throws(JWKDefect) -> PublicKey {
        guard let type = object["kty"] else { throw .missingMember("kty") }
        do {
            switch type.stringValue {
            case "RSA":
                return try PublicKey(rsaModulus: number(object, "n"), exponent: number(object, "e"))
            case "EC":
                guard let curve = object["crv"] else { throw JWKDefect.missingMember("crv") }
                guard curve.stringValue == "P-256" else { throw JWKDefect.unsupportedCurve }
                return try PublicKey(p256X: number(object, "x"), y: number(object, "y"))
            default:
                throw JWKDefect.unsupportedKeyType
            }
        } catch let defect as JWKDefect {
            throw defect
        } catch CryptoError.invalidKey(let defect) {
            throw .unusable(defect)
        } catch {
            throw .unusable(.malformed)
        }
    }

    private static func number(_ object: JSONObject, _ name: String) throws(JWKDefect) -> [UInt8] {
        guard let value = object[name] else { throw .missingMember(name) }
        guard let text = value.stringValue, let bytes = Base64URL.decode(text) else { throw .invalidMember(name) }
        return bytes
    }
}

/// Why one key of a set cannot be used. It costs that key only.
package enum JWKDefect: Error, Equatable, Sendable {
    case notObject
    case missingMember(String)
    /// A member of a wrong type or value; the name is one that this code knows.
    case invalidMember(String)
    /// Neither RSA nor EC.
    case unsupportedKeyType
    /// EC, but not on P-256.
    case unsupportedCurve
    /// An `alg` that this code does not know, or one for encryption.
    case unsupportedAlgorithm
    /// An `alg` that keys of this type cannot serve.
    case algorithmDoesNotFit
    /// `use` or `key_ops` say that the key is not for verifying signatures.
    case notForVerification
    /// The private half is there: whoever published it has lost the key.
    case privateKeyExposed
    /// Too weak, or not a key at all.
    case unusable(KeyDefect)
    /// Another usable key of the set has the same `kid`; neither is taken.
    case duplicateKeyID
}
