import Crypto
import HTTP
import Identity
import Text

extension OpenID {
    /// Finds out which key a request proves to hold (RFC 9449), in the words of this API.
    struct KeyProof: Sendable {
        static let field: StaticString = "dpop"

        let services: Services

        /// At an endpoint that clients ask for tokens; nil without a proof.
        /// - Throws: `invalid_dpop_proof`, `use_dpop_nonce`; 503 when the store is away.
        func key(_ request: Request, at path: String) async throws(Failure) -> KeyConfirmation? {
            let texts = request.head.values(named: Self.field)
            guard !texts.isEmpty else { return nil }
            do throws(DPoPProofs.Refusal) {
                return try await services.authorization.proofs.key(
                    of: texts, method: request.head.method.name, path: path, accessToken: nil)
            } catch {
                throw Self.failure(error, status: .badRequest)
            }
        }

        /// At an endpoint that takes access tokens.
        /// - Throws: the same with a challenge.
        func key(_ request: Request, at path: String, with token: SecretString) async throws(Failure) -> KeyConfirmation {
            do throws(DPoPProofs.Refusal) {
                return try await services.authorization.proofs.key(
                    of: request.head.values(named: Self.field), method: request.head.method.name, path: path, accessToken: token)
            } catch {
                let failure = Self.failure(error, status: .unauthorized)
                throw failure.status == .unauthorized
                    ? failure.adding("WWW-Authenticate", "DPoP error=\"\(failure.code)\", algs=\"\(Self.algorithms)\"") : failure
            }
        }

        static let algorithms = DPoPProof.algorithms.map(\.rawValue).joined(separator: " ")

        private static func failure(_ refusal: DPoPProofs.Refusal, status: Status) -> Failure {
            switch refusal {
            case .proof(let refusal): Failure(status, "invalid_dpop_proof", refusal.rawValue)
            case .nonceNeeded: Failure(status, "use_dpop_nonce", "The DPoP proof needs the nonce of the field DPoP-Nonce.")
            case .store(let failure): .identity(.service(failure))
            }
        }
    }
}

extension AuthorizationParameters {
    /// The same for a code that is bound to the key that has been shown (RFC 9449 §10.1).
    /// - Throws: `invalid_dpop_proof` where they name another key.
    func bound(to thumbprint: String) throws(OpenID.Failure) -> AuthorizationParameters {
        guard self["dpop_jkt"].map({ $0.hasSameBytes(as: thumbprint) }) ?? true else {
            throw OpenID.Failure(.badRequest, "invalid_dpop_proof", "The dpop_jkt is that of another key.")
        }
        return replacing(["dpop_jkt": thumbprint])
    }
}
