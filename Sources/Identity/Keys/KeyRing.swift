package import Crypto
package import JOSE

/// The signing keys of a moment: one that signs for each algorithm, and all that still verify.
package struct KeyRing: Sendable {
    /// The public keys as `/.well-known/jwks.json` serves them (RFC 7517 §5).
    package let rendered: [UInt8]
    private let signers: [SignatureAlgorithm: JWSSigner]
    private let keys: JWKSet

    /// - Parameters:
    ///   - signers: the active key of each algorithm.
    ///   - keys: every key whose tokens may still live, and those that will sign soon.
    package init(signers: [SignatureAlgorithm: JWSSigner], keys: [JWK]) {
        self.signers = signers
        self.keys = JWKSet(keys)
        rendered = self.keys.rendered
    }

    /// The names of all keys.
    package var keyIDs: Set<String> { Set(keys.keys.compactMap(\.keyID)) }

    /// The key that signs now; nil when there is none for this algorithm.
    package func signer(for algorithm: SignatureAlgorithm) -> JWSSigner? {
        signers[algorithm]
    }

    /// The claims of one of our own access tokens (RFC 9068 §4), whether or not it has expired or been revoked.
    /// - Throws: `JOSEError` when it is none of ours.
    package func claims(ofAccessToken token: String) throws(JOSEError) -> JWTClaims {
        let verified = try UnverifiedJWS.parse(token).verify(with: keys, allowing: [.es256, .rs256])
        guard verified.header.isType("at+jwt") else { throw .unexpectedType }
        return try verified.claims()
    }
}

/// A loop's copy of the key ring; nil until the keys have been loaded once.
extension LoopSlot where Value == KeyRing? {
    /// - Throws: `IdentityError.unavailable` while the keys have not been loaded.
    func current() throws(IdentityError) -> KeyRing {
        guard let value else { throw .unavailable(retryAfter: .seconds(1)) }
        return value
    }
}
