package import Crypto
import Text

/// A compact JWS whose header carries the key that verifies it: a DPoP proof (RFC 9449 §4.2), and nothing else may be one.
///
/// The signature shows that the sender holds the key. It says nothing of who that is: whoever takes the proof compares the key's thumbprint with
/// the one that a token is bound to.
package struct KeyProofJWS: Sendable {
    package let header: JWSHeader
    package let key: JWK
    package let claims: JWTClaims

    /// The proof, if its signature holds.
    /// - Parameter type: what `typ` must say.
    /// - Throws: `JOSEError` for anything else: a private or symmetric key, an algorithm that is not allowed, a signature of another key.
    package static func verify(
        _ text: String, type: String, allowing algorithms: [SignatureAlgorithm]
    ) throws(JOSEError) -> KeyProofJWS {
        let unverified = try UnverifiedJWS.parse(text)
        guard let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")), let bytes = Base64URL.decode(text[..<dot]),
            let object = (try? JSON.parse(bytes, maximumDepth: 8))?.objectValue, let jwk = object["jwk"]
        else { throw .invalidHeaderParameter("jwk") }
        let key: JWK
        do throws(JWKDefect) {
            key = try JWK(parsing: jwk)
        } catch {
            throw .invalidHeaderParameter("jwk")
        }
        let verified = try unverified.verify(with: key, allowing: algorithms)
        try verified.requireType(type)
        return KeyProofJWS(header: verified.header, key: key, claims: try verified.claims())
    }
}
