import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// `GET user/`: the signed-in user (contract §3.3).
    struct UserDetails: Endpoint {
        let method = Method.get
        let path = "/user/"

        let services: Services
        let api: Parts
        let caller: Authenticator

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            let user = try await caller.authenticate(request, for: .read).user
            let profile = try await restAuth { () throws(IdentityError) in
                try await api.profiles.profile(of: user)
            }
            return Self.response(user, profile, words)
        }

        static func response(_ user: User, _ profile: Profile, _ words: Words) -> Response {
            var writer = JSONWriter()
            UserObject.write(user, profile, to: &writer)
            return words.response(.ok, writer)
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "The signed-in user", security: Authenticator.schemes(api.options),
                responses: [.json(.ok, "The user.", UserObject.schema)] + Authenticator.refusals)
        }
    }
}
