import HTTP
import Identity
import Routing

extension TokenAPI {
    /// `PUT /auth/token`: both tokens new, for the refresh token that comes as the bearer.
    ///
    /// A repetition within the grace gives the same pair, so that two processes with one keychain end up with the same. The body is
    /// not read.
    struct Renew: Endpoint {
        static let method = Method.put

        let services: Services

        func answer(_ request: Request) async throws(Failure) -> Response {
            let token = try Bearer.read(request)
            do throws(IdentityError) {
                let options = RefreshOptions(rotation: true, sameAccessToken: true, leeway: Times.leeway, for: services.app.id)
                return Answer.make(try await services.sessions.refresh(token, options, caller: Caller(request)))
            } catch {
                throw .identity(error)
            }
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Get two new tokens for a refresh token",
                details: "A refresh that is repeated within the grace gives the same pair again.",
                security: [.bearer("refreshToken", "The refresh token of a session.")],
                responses: [.json(.ok, "Two new tokens.", Answer.schema), Failure.limitedDocumented]
                    + Failure.bearerRefusals)
        }
    }
}
