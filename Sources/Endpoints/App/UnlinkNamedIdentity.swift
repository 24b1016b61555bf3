import HTTP
import Identity
import Routing
import Text

/// `DELETE /auth/identities` with `oauth_provider` in the body: the same as `UnlinkIdentity`, for clients that send their fields alike
/// everywhere.
struct UnlinkNamedIdentity: AppEndpoint {
    static let method = Method.delete
    static let path = "/auth/identities"
    static let accepts = AcceptedContent.json

    let services: Services
    let bearer: BearerUser

    func answer(_ request: Request) async throws(AppError) -> Response {
        let user = try await bearer.authenticate(request, for: .change)
        guard !request.body.isEmpty else { throw .providerRequired }
        var body = try JSONBody(request)
        let name = body.fields.string("oauth_provider")
        guard body.fields.isClean, let name else { throw .invalidInput(body.issues) }
        guard let provider = ProviderID(name) else { throw .identity(.identityNotFound) }
        try await deciding { () throws(IdentityError) in
            try await services.accounts.unlink(
                provider, from: user.userID, session: user.sessionID, caller: Caller(request))
        }
        return .empty(.noContent)
    }
}

extension UnlinkNamedIdentity {
    static var documentation: RouteDocumentation {
        RouteDocumentation(
            "Take a provider's accounts from the ways to sign in, named in the body", security: [BearerUser.scheme],
            body: .required(.object([.required("oauth_provider", .string)])),
            responses: [AppError.invalidInputDocumented, ProviderFields.requiredDocumented] + UnlinkIdentity.responses)
    }
}
