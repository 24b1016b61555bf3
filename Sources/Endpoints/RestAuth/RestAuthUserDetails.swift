import HTTP
import Identity
import Routing
import Text

/// `GET user/`: the signed-in user (contract §3.3).
struct RestAuthUserDetails: RestAuthEndpoint {
    let method = Method.get
    let path = "/user/"

    let services: Services
    let caller: RestAuthCaller

    func answer(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response {
        let user = try await caller.authenticate(request, for: .read).user
        let profile = try await restAuth { () throws(IdentityError) in
            try await services.restAuth.profiles.profile(of: user)
        }
        return Self.response(user, profile, words)
    }

    static func response(_ user: User, _ profile: Profile, _ words: RestAuthWords) -> Response {
        var writer = JSONWriter()
        RestAuthUserObject.write(user, profile, to: &writer)
        return words.response(.ok, writer)
    }
}

extension RestAuthUserDetails {
    var documentation: RouteDocumentation {
        RouteDocumentation(
            "The signed-in user", security: RestAuthCaller.schemes(services.restAuth.options),
            responses: [.json(.ok, "The user.", RestAuthUserObject.schema)] + RestAuthCaller.refusals)
    }
}
