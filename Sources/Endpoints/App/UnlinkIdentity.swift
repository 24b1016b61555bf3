import HTTP
import Identity
import Routing

extension AppAPI {
    /// `DELETE /auth/identities/{provider}`: takes a provider's identities from the signed-in user, unless nothing would be left to sign in
    /// with. Sessions that began with them end, but for this one. The sign-in must be a recent one.
    struct UnlinkIdentity: Endpoint {
        static let method = Method.delete
        static let path = "/auth/identities/{provider}"

        let services: Services
        let bearer: BearerUser

        func answer(_ request: Request) async throws(Failure) -> Response {
            let user = try await bearer.authenticate(request, for: .change)
            guard let provider = request.pathParameters.first.flatMap({ ProviderID($0) }) else {
                throw .identity(.identityNotFound)
            }
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accounts.unlink(
                    provider, from: user.userID, session: user.sessionID, caller: Caller(request))
            }
            return .empty(.noContent)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Take a provider's accounts from the ways to sign in", security: [BearerUser.scheme],
                parameters: [.path("provider", .string, "Such as `google`.")], responses: responses)
        }

        static let responses =
            [
                Failure.recentSignInDocumented, .empty(.noContent, "It signs nobody in any more."),
                Failure.documented(.notFound, "Identity not found"),
                Failure.documented(.conflict, "Cannot remove the last sign-in method"),
            ] + BearerUser.refusals
    }
}
