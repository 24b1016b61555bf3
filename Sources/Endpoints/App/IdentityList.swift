import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// The ways in which a user can sign in, in this API's words.
    enum IdentityList {
        static func response(_ identities: [ExternalIdentity], hasPassword: Bool) -> Response {
            var writer = JSONWriter(capacity: 256 * (identities.count + 1))
            writer.beginObject()
            writer.key("identities")
            writer.beginArray()
            for identity in identities {
                writer.beginObject()
                writer.member("oauth_provider", identity.provider.text)
                if let email = identity.email { writer.member("email", email) }
                writer.member("is_private_email", identity.isPrivateEmail)
                writer.member("created_at", identity.createdAt)
                writer.member("last_used_at", identity.lastUsedAt)
                writer.endObject()
            }
            writer.endArray()
            writer.member("has_password", hasPassword)
            writer.endObject()
            return .appJSON(.ok, writer)
        }

        static func response(of id: UserID, _ accounts: Accounts) async throws(Failure) -> Response {
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                response(try await accounts.identities(of: id), hasPassword: try await accounts.hasPassword(id))
            }
        }

        static let schema = Schema.object([
            .required("identities", .array(of: identity)),
            .required("has_password", .boolean.described("Whether the user can sign in with a password.")),
        ]).named("Identities")

        private static let identity = Schema.object([
            .required("oauth_provider", .string), .optional("email", .string.described("As the provider told it last.")),
            .required("is_private_email", .boolean.described("Whether the provider forwards mail from it.")),
            .required("created_at", .time), .required("last_used_at", .time),
        ]).named("Identity")
    }

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
