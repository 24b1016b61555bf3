import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// `GET user/`: the signed-in user.
    struct UserDetails: Endpoint {
        let method = Method.get
        let path = "/user/"

        let services: Services
        let api: Parts
        let caller: Authenticator

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            let user = try await caller.authenticate(request, for: .read).user
            let profile = try await Failure.mapIdentityErrors { () throws(IdentityError) in
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

    /// A user in this API's words. All five are in every one, and `pk` is a number.
    enum UserObject {
        static func write(_ user: User, _ profile: Profile, to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("pk", profile.number)
            writer.member("username", profile.username.text)
            writer.member("email", user.email?.typed ?? "")
            writer.member("first_name", profile.firstName)
            writer.member("last_name", profile.lastName)
            writer.endObject()
        }

        static let schema = Routing.Schema.object([
            .required("pk", .integer), .required("username", .string), .required("email", .anyOf([.email, .constant("")])),
            .required("first_name", .string),
            .required("last_name", .string),
        ]).named("RestAuthUser")
    }
}
