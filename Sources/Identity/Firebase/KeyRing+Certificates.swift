package import Crypto
import JOSE
package import Text

extension KeyRing {
    /// The keys of an algorithm as certificates by their names, for verifiers that read keys in no other form. They certify nothing: each is signed
    /// with the key that signs now.
    /// - Throws: `IdentityError.unavailable` while there is none; `internalFault` when signing fails.
    package func certificates(of algorithm: SignatureAlgorithm, at now: Timestamp) throws(IdentityError) -> JSONObject {
        guard let signer = signer(for: algorithm, type: .idToken) else { throw .unavailable(retryAfter: .seconds(1)) }
        guard let keys = try? JWKSet.parse(rendered).keys else { throw .fault() }
        var certificates = JSONObject()
        for key in keys where key.fits(algorithm) {
            guard let name = key.keyID else { continue }
            do throws(JOSEError) {
                let certificate = Certificate(of: key.key, name: name, at: now)
                certificates[name] = .string(certificate.pem(signature: try signer.signature(over: certificate.signed)))
            } catch {
                throw .fault()
            }
        }
        return certificates
    }
}
