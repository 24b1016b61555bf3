import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// `GET /auth/me`: the signed-in user, bare.
    struct Me: Endpoint {
        static let method = Method.get
        static let path = "/auth/me"

        let services: Services
        let bearer: BearerUser

        func answer(_ request: Request) async throws(Failure) -> Response {
            let authenticated = try await bearer.authenticate(request, for: .read)
            let user = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accounts.user(authenticated.userID)
            }
            let settings = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.appSettings.settings(of: user.id)
            }
            return Self.response(user, settings)
        }

        static func response(_ user: User, _ settings: AppSettings) -> Response {
            var writer = JSONWriter(capacity: 512)
            UserObject.write(user, settings, to: &writer)
            return .appJSON(.ok, writer)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Who is signed in", security: [BearerUser.scheme],
                responses: [.json(.ok, "The user.", UserObject.schema)] + BearerUser.refusals)
        }
    }
}
