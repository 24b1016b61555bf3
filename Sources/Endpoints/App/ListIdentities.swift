import HTTP
import Identity
import Routing

extension AppAPI {
    /// `GET /auth/identities`: the signed-in user's accounts at providers, the oldest first, and whether there is a password.
    struct ListIdentities: Endpoint {
        static let method = Method.get
        static let path = "/auth/identities"

        let services: Services
        let bearer: BearerUser

        func answer(_ request: Request) async throws(Failure) -> Response {
            let user = try await bearer.authenticate(request, for: .read)
            return try await IdentityList.response(of: user.userID, services.accounts)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "The user's accounts at providers, the oldest first", security: [BearerUser.scheme],
                responses: [.json(.ok, "The identities.", IdentityList.schema)] + BearerUser.refusals)
        }
    }
}
