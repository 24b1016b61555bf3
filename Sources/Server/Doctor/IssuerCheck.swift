import Identity
import JOSE
import Outbound

/// Whether the issuer's URL leads to this installation.
enum IssuerCheck {
    static let name = "issuer"
    private static let path = "/.well-known/jwks.json"

    /// - Parameter ring: the keys in the database; nil when they are not known.
    static func finding(of issuer: String, keys ring: KeyRing?, with client: HTTPSClient) async -> Finding {
        guard HTTPSClient.mayAsk(issuer + path) else {
            return Finding(name, .skipped, "only https, and http of this machine, is asked")
        }
        let response: OutboundResponse
        do throws(OutboundError) {
            response = try await client.send(OutboundRequest(.get, issuer + path, fields: [("Accept", "application/json")]))
        } catch {
            return Finding(
                name, .advice("start the server; if it runs, look at the name, the balancer and its certificate"),
                "\(issuer) does not answer from here: \(error)")
        }
        return finding(status: response.status, body: response.body, keys: ring)
    }

    static func finding(status: Int, body: [UInt8], keys ring: KeyRing?) -> Finding {
        guard status == 200, let set = try? JWKSet.parse(body) else {
            return Finding(
                name, .problem("let the balancer hand \(path) on to Kidoban, or correct KIDOBAN_ISSUER"),
                "\(path) answers \(status)\(status == 200 ? " without a key set" : "")")
        }
        guard let ring else { return Finding(name, .ok, "it answers with a key set; ours are not known, to compare") }
        return finding(served: Set(set.keys.compactMap(\.keyID)), ours: ring.keyIDs)
    }

    /// A key that has just been made is served by each copy within a minute.
    static func finding(served: Set<String>, ours: Set<String>) -> Finding {
        guard !ours.isDisjoint(with: served) else {
            return Finding(
                name,
                .problem(
                    "correct KIDOBAN_ISSUER or DATABASE_URL: who checks our tokens there would refuse them. If keys were replaced within "
                        + "the last minute, ask again"),
                "it answers with other keys than those in this database")
        }
        guard ours.isSubset(of: served) else {
            return Finding(
                name, .advice("ask again in a minute, after which every copy has it"), "it lacks a key of this database")
        }
        return Finding(name, .ok, "it answers with our keys")
    }
}
