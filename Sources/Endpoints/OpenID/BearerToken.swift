import HTTP
import Identity
import Routing
import Text

extension OpenID {
    /// Finds out whose access token a request carries (RFC 6750 §2, RFC 9449 §7): in the `Authorization` field or the form, never in the address.
    struct BearerToken: Sendable {
        let services: Services

        /// - Throws: 401 with the right challenge, 400 for two tokens, 503 when a store is away.
        func principal(_ request: Request, at path: String) async throws(Failure) -> Principal {
            let (token, isDPoP) = try Self.token(request)
            let principal: Principal
            do throws(IdentityError) {
                principal = try await services.accessTokens.authenticate(token)
            } catch {
                throw error == .invalidToken ? Self.invalidToken : Failure(error)
            }
            guard isDPoP else {
                guard principal.confirmation == nil else { throw Self.boundToken }
                return principal
            }
            let key = try await KeyProof(services: services).key(request, at: path, with: token)
            guard let bound = principal.confirmation, bound == key else { throw Self.boundToken }
            return principal
        }

        private static func token(_ request: Request) throws(Failure) -> (SecretString, isDPoP: Bool) {
            var inForm: SecretString?
            if request.head.method == .post, !request.body.isEmpty {
                guard let form = try? FormFields(parsing: request.body) else { throw badRequest("the form is malformed") }
                inForm = form.secret("access_token").flatMap { $0.isEmpty ? nil : $0 }
            }
            guard !request.head.values(of: .authorization).isEmpty else {
                guard let inForm else { throw noToken }
                return (inForm, false)
            }
            guard inForm == nil else { throw badRequest("there are two access tokens") }
            switch try? Authorization.parse(request.head) {
            case .bearer(let token): return (token, false)
            case .dpop(let token): return (token, true)
            case .basic: throw noToken
            case nil: throw invalidToken
            }
        }

        /// No error code: nothing has gone wrong yet (RFC 6750 §3.1).
        private static let noToken = Failure(
            .unauthorized, "invalid_request", "there is no access token",
            fields: ResponseFields.notStored.appending("WWW-Authenticate", "Bearer realm=\"kidoban\""))

        private static func badRequest(_ description: String) -> Failure {
            Failure(
                .badRequest, "invalid_request", description,
                fields: ResponseFields.notStored.appending(
                    "WWW-Authenticate", "Bearer realm=\"kidoban\", error=\"invalid_request\""))
        }

        static let invalidToken = Failure(
            .unauthorized, "invalid_token", "the access token is not valid, or no longer",
            fields: ResponseFields.notStored.appending(
                "WWW-Authenticate",
                "Bearer realm=\"kidoban\", error=\"invalid_token\", error_description=\"the access token is not valid, or no longer\""
            ))

        /// It is bound to a key that the request does not show, or to none.
        private static let boundToken = Failure(
            .unauthorized, "invalid_token", "the access token is not bound to the key of the request",
            fields: ResponseFields.notStored.appending(
                "WWW-Authenticate", "DPoP error=\"invalid_token\", algs=\"\(KeyProof.algorithms)\""))

        static func insufficientScope(_ scope: String) -> Failure {
            Failure(
                .forbidden, "insufficient_scope", "the access token is not good for this",
                fields: ResponseFields.notStored.appending(
                    "WWW-Authenticate", "Bearer realm=\"kidoban\", error=\"insufficient_scope\", scope=\"\(scope)\""))
        }
    }
}
