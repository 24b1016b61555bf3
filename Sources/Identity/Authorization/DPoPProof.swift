package import Crypto
import JOSE
package import Text

/// The check of a DPoP proof (RFC 9449 §4.3), without nonces and without the memory of proofs that have been used: those are `DPoPNonces`' and
/// `UsedIdentifiers`'.
package struct DPoPProof: Sendable {
    /// Why a proof is refused. Told to the client as `invalid_dpop_proof`.
    package enum Refusal: String, Error, Sendable {
        case malformed = "The DPoP proof is not a JWT of the form that it must have."
        case wrongMethod = "The DPoP proof is for another method."
        case wrongURI = "The DPoP proof is for another URI."
        case wrongTime = "The DPoP proof is not of the last minutes."
        case wrongToken = "The DPoP proof is for another access token."
        case replayed = "The DPoP proof has been used."
    }

    /// What a request must have been proved for.
    package struct Request: Sendable {
        package let method: String
        /// Without query and fragment, as clients reach it.
        package let uri: String
        /// The access token that comes with it; nil at the token endpoint.
        package let accessToken: String?

        package init(method: String, uri: String, accessToken: String?) {
            self.method = method
            self.uri = uri
            self.accessToken = accessToken
        }
    }

    /// How old a proof may be, and how far ahead a client's clock.
    package static let maximumAge = Duration.seconds(120)
    package static let leeway = Duration.seconds(30)
    /// In bytes.
    package static let maximumIDLength = 256
    package static let algorithms: [SignatureAlgorithm] = [.es256, .rs256]

    /// SHA-256 thumbprint of the key (RFC 7638), base64url.
    package let thumbprint: String
    package let id: String
    package let issuedAt: Timestamp
    package let nonce: String?

    /// - Throws: `Refusal`.
    package init(_ text: String, for request: Request, at now: Timestamp) throws(Refusal) {
        guard let proof = try? KeyProofJWS.verify(text, type: "dpop+jwt", allowing: Self.algorithms) else { throw .malformed }
        guard let method = proof.claims["htm"]?.stringValue, let uri = proof.claims["htu"]?.stringValue,
            let id = proof.claims.jwtID, id.utf8.count <= Self.maximumIDLength, let issuedAt = proof.claims.issuedAt
        else { throw .malformed }
        guard method.hasSameBytes(as: request.method) else { throw .wrongMethod }
        guard Self.isSame(uri, request.uri) else { throw .wrongURI }
        guard issuedAt.duration(since: now) <= Self.leeway, now.duration(since: issuedAt) <= Self.maximumAge else {
            throw .wrongTime
        }
        if let token = request.accessToken {
            guard let hash = proof.claims["ath"]?.stringValue,
                hash.hasSameBytes(as: Base64URL.encode(SHA256.hash(Array(token.utf8)).bytes))
            else { throw .wrongToken }
        }
        thumbprint = proof.key.thumbprint
        self.id = id
        self.issuedAt = issuedAt
        nonce = proof.claims["nonce"]?.stringValue
    }

    /// Without query and fragment; scheme and host in any case, the default port written or not (RFC 9449 §4.3 item 9).
    private static func isSame(_ left: String, _ right: String) -> Bool {
        guard let left = normalized(left), let right = normalized(right) else { return false }
        return left.hasSameBytes(as: right)
    }

    static func normalized(_ uri: String) -> String? {
        let plain = uri.prefix { $0 != "?" && $0 != "#" }
        let scheme = plain.prefix { $0 != ":" }.lowercased()
        guard plain.dropFirst(scheme.count).hasPrefix("://") else { return nil }
        let rest = plain.dropFirst(scheme.count + 3)
        var authority = rest.prefix { $0 != "/" }.lowercased()
        let path = rest.dropFirst(rest.prefix { $0 != "/" }.count)
        if scheme == "https", authority.hasSuffix(":443") { authority.removeLast(4) }
        if scheme == "http", authority.hasSuffix(":80") { authority.removeLast(3) }
        guard !authority.isEmpty else { return nil }
        return "\(scheme)://\(authority)\(path.isEmpty ? "/" : String(path))"
    }
}
