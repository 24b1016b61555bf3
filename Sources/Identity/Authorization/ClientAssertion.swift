package import Crypto
package import JOSE
package import Text

/// The check of an assertion by which a client proves itself (RFC 7523 §3, `private_key_jwt`), without the memory of those that have been used.
package struct ClientAssertion: Sendable {
    package static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// How far ahead its end may be.
    package static let maximumLife = Duration.seconds(3600)
    package static let leeway = Duration.seconds(30)
    package static let algorithms: [SignatureAlgorithm] = [.es256, .rs256]

    /// Why an assertion proves nothing.
    package enum Refusal: String, Error, Sendable, CaseIterable {
        case malformed, signature, client, audience, times, noID
    }

    package let id: String
    package let expiresAt: Timestamp
    /// Whom it speaks of.
    package let subject: String

    /// - Parameters:
    ///   - aboutItself: whether it speaks of the client, as it must to prove who that is; else of a user.
    ///   - audiences: any one of which it must be for.
    ///   - keys: the client's.
    /// - Throws: `Refusal`.
    package init(
        _ text: String, of client: ClientID, keys: JWKSet, aboutItself: Bool = true, audiences: [String], at now: Timestamp
    ) throws(Refusal) {
        guard let unverified = try? UnverifiedJWS.parse(text) else { throw .malformed }
        guard let key = Self.key(for: unverified.header, in: keys),
            let verified = try? unverified.verify(with: key, allowing: Self.algorithms)
        else { throw .signature }
        guard let claims = try? verified.claims() else { throw .malformed }
        guard let issuer = claims.issuer, let subject = claims.subject, issuer.hasSameBytes(as: client.text),
            subject.hasSameBytes(as: client.text) == aboutItself
        else { throw .client }
        guard claims.audience.contains(where: { audience in audiences.contains { $0.hasSameBytes(as: audience) } }) else {
            throw .audience
        }
        guard (try? claims.checkTimes(at: now, leeway: Self.leeway)) != nil, let expiresAt = claims.expiresAt,
            expiresAt.duration(since: now) <= Self.maximumLife + Self.leeway
        else { throw .times }
        // Who speaks of a user may leave it out (RFC 7523 §3 item 7); it is used once all the same. Known by what is signed: an ECDSA
        // signature has a twin.
        let signed = text.prefix(upTo: text.lastIndex(of: ".") ?? text.endIndex)
        guard let id = claims.jwtID ?? (aboutItself ? nil : SHA256.hash(String(signed)).hex) else { throw .noID }
        self.id = id
        self.subject = subject
        self.expiresAt = expiresAt
    }

    /// The one that the header names or, where it names none, the only one that can be meant.
    private static func key(for header: JWSHeader, in keys: JWKSet) -> JWK? {
        if let name = header.keyID { return keys.key(withID: name) }
        let fitting = keys.keys.filter { $0.fits(header.algorithm) }
        return fitting.count == 1 ? fitting[0] : nil
    }

    /// The name of the key that an assertion was signed with; nil for none.
    static func keyID(of text: String) -> String? {
        (try? UnverifiedJWS.parse(text))?.header.keyID
    }

    /// Whom an assertion speaks of, which nobody has checked: where to look for its key, and no more.
    package static func unverifiedSubject(of text: String) -> String? {
        unverified("sub", of: text)
    }

    private static func unverified(_ claim: String, of text: String) -> String? {
        guard text.utf8.count <= UnverifiedJWS.maximumByteCount else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]), let value = try? JSON.parse(payload, maximumDepth: 8)
        else {
            return nil
        }
        return value[claim]?.stringValue
    }
}
