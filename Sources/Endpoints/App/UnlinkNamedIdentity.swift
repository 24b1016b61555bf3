import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// `DELETE /auth/identities` with `oauth_provider` in the body: the same as `AppAPI.UnlinkIdentity`, for clients that send their fields alike
    /// everywhere.
    struct UnlinkNamedIdentity: Endpoint {
        static let method = Method.delete
        static let path = "/auth/identities"
        static let accepts = AcceptedContent.json

        let services: Services
        let bearer: BearerUser

        func answer(_ request: Request) async throws(Failure) -> Response {
            let user = try await bearer.authenticate(request, for: .change)
            guard !request.body.isEmpty else { throw .providerRequired }
            var body = try JSONBody(request)
            let name = body.fields.string("oauth_provider")
            guard body.fields.isClean, let name else { throw .invalidInput(body.issues) }
            guard let provider = ProviderID(name) else { throw .identity(.identityNotFound) }
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accounts.unlink(
                    provider, from: user.userID, session: user.sessionID, caller: Caller(request))
            }
            return .empty(.noContent)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Take a provider's accounts from the ways to sign in, named in the body", security: [BearerUser.scheme],
                body: .required(.object([.required("oauth_provider", .string)])),
                responses: [Failure.invalidInputDocumented, ProviderFields.requiredDocumented] + UnlinkIdentity.responses)
        }
    }
}
