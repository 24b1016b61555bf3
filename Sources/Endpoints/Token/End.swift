import HTTP
import Identity
import Routing
import Text

extension TokenAPI {
    /// `DELETE /auth/token`: ends the session of the access token that comes as the bearer, also if it has expired within the last day. A refresh token is refused.
    struct End: Endpoint {
        static let method = Method.delete

        let services: Services

        func answer(_ request: Request) async throws(Failure) -> Response {
            let token = try Bearer.read(request)
            do throws(IdentityError) {
                try await services.accessTokens.signOut(token, lateness: Times.lateness, caller: Caller(request))
            } catch {
                throw .identity(error)
            }
            return .json(.ok, Array("{}".utf8), fields: .notStored)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign the user out on this device",
                details: "An access token that has expired within the last day will do.", security: [.accessToken],
                responses: [.json(.ok, "The session is over.", .object([]), example: [:])] + Failure.bearerRefusals)
        }
    }
}
