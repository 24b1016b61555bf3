import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// Finds out whose access token a request carries (RFC 6750 §2.1). Tokens in a body or a query are never looked at.
    struct BearerUser: Sendable {
        private let services: Services

        init(_ services: Services) {
            self.services = services
        }

        /// Who signs out.
        enum SigningOut: Sendable {
            case user(AuthenticatedUser)
            /// Whoever had the token; the session is over already.
            case nobody(SessionID)
        }

        /// - Parameter access: what the endpoint does.
        /// - Throws: `AppAPI.Failure.unauthorized`; 404 when the token's user has been deleted; 503 when a store is away.
        func authenticate(_ request: Request, for access: AccountAccess) async throws(Failure) -> AuthenticatedUser {
            let (token, key) = try await credentials(of: request)
            return try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accessTokens.authenticate(token, for: access, with: key)
            }
        }

        /// For who signs out, and may do so twice at once: a token is also taken whose session has just been ended.
        /// - Throws: as `authenticate`.
        func signingOut(_ request: Request) async throws(Failure) -> SigningOut {
            let (token, key) = try await credentials(of: request)
            return try await Failure.mapIdentityErrors { () throws(IdentityError) in
                do throws(IdentityError) {
                    return .user(try await services.accessTokens.authenticate(token, for: .signOut, with: key))
                } catch {
                    guard error == .invalidToken, let id = try await services.accessTokens.endedSession(of: token) else {
                        throw error
                    }
                    return .nobody(id)
                }
            }
        }

        /// The token, and the key whose possession comes with it.
        private func credentials(of request: Request) async throws(Failure) -> (SecretString, KeyConfirmation?) {
            guard let authorization = try? Authorization.parse(request.head) else {
                throw .unauthorized(request.head.value(of: .authorization) == nil ? .noToken : .invalidToken)
            }
            switch authorization {
            case .basic: throw .unauthorized(.noToken)
            case .bearer(let token): return (token, nil)
            case .dpop(let token):
                do throws(DPoPProofs.Refusal) {
                    let key = try await services.authorization.proofs.key(
                        of: request.head.values(named: "dpop"), method: request.head.method.name, path: request.head.path,
                        accessToken: token, needsNonce: false)
                    return (token, key)
                } catch {
                    guard case .store(let failure) = error else { throw .unauthorized(.invalidToken) }
                    throw .identity(.service(failure))
                }
            }
        }

        static let scheme = SecurityScheme.accessToken

        /// What any route that asks for an access token can answer.
        static let refusals = [
            Failure.documented(.unauthorized, "Unauthorized", "There is no access token, or one that is not good."),
            Failure.documented(.notFound, "User not found", "The user of the token has been deleted."),
        ]
    }
}
