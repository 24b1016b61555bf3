import Foundation
import KidobanTransport

/// The keys of a key set (RFC 7517 §5) that sign access tokens, by `kid`.
struct KeySet: Sendable {
    struct Key: Sendable {
        let algorithm: String
        let checker: any SignatureKey
    }

    private struct Document: Decodable {
        let keys: [Member]
    }

    private struct Member: Decodable {
        let kty: String
        let kid: String?
        let alg: String?
        let use: String?
        let crv: String?
        let x: String?
        let y: String?
        let n: String?
        let e: String?

        /// Nil for a key of another kind, which is somebody else's.
        var publicKey: (algorithm: String, key: PublicKey)? {
            switch (kty, alg) {
            case ("EC", "ES256"), ("EC", nil):
                guard crv == "P-256", let x = x.flatMap({ Base64URL.decode($0) }), let y = y.flatMap({ Base64URL.decode($0) }),
                    x.count == 32, y.count == 32
                else { return nil }
                return ("ES256", .p256(x: x, y: y))
            case ("RSA", "RS256"), ("RSA", nil):
                guard let n = n.flatMap({ Base64URL.decode($0) }), let e = e.flatMap({ Base64URL.decode($0) }) else { return nil }
                return ("RS256", .rsa(modulus: n, exponent: e))
            default: return nil
            }
        }
    }

    private(set) var keys: [String: Key] = [:]

    init() {}

    /// Nil when it is no key set. A key that cannot be used is left out, and so are two of one name.
    init?(_ data: Data, _ signatures: any SignatureChecker) {
        guard data.count <= 262_144, let document = try? JSONDecoder().decode(Document.self, from: data) else { return nil }
        var twice: Set<String> = []
        for member in document.keys where member.use == nil || member.use == "sig" {
            guard let kid = member.kid, let (algorithm, key) = member.publicKey, let checker = signatures.key(key) else {
                continue
            }
            if keys.updateValue(Key(algorithm: algorithm, checker: checker), forKey: kid) != nil { twice.insert(kid) }
        }
        for kid in twice { keys[kid] = nil }
    }
}
