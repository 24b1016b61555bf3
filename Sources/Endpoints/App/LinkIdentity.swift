import HTTP
import Identity
import Routing

extension AppAPI {
    /// `POST /auth/identities`: makes the identity of an id token one more way into the signed-in user's account. The sign-in must be a recent one.
    struct LinkIdentity: Endpoint {
        static let method = Method.post
        static let path = "/auth/identities"
        static let accepts = AcceptedContent.json

        let services: Services
        let bearer: BearerUser

        func answer(_ request: Request) async throws(Failure) -> Response {
            let user = try await bearer.authenticate(request, for: .change)
            var body = try JSONBody(request)
            let fields = ProviderFields(&body.fields, configured: services.federation.providers.map(\.id))
            let issues = body.issues + [fields.issue].compactMap(\.self)
            guard issues.isEmpty else { throw .invalidInput(issues) }
            guard fields.isComplete else { throw .providerRequired }
            let caller = Caller(request)
            // Before the token is looked at, because that uses it up.
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accounts.requireRecentSignIn(of: user.userID, session: user.sessionID, caller: caller)
            }
            guard fields.token != nil else { throw .identity(.invalidProviderToken) }
            let providerTokens = ProviderIDTokens(services: services)
            let verifiedToken = try await providerTokens.verified(fields, caller)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accounts.link(verifiedToken, to: user.userID, session: user.sessionID, caller: caller)
            }
            await providerTokens.exchangeCode(of: fields, verifiedToken, user.userID, caller)
            return try await IdentityList.response(of: user.userID, services.accounts)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Make an account at a provider one more way to sign in", security: [BearerUser.scheme],
                body: .required(.object(ProviderFields.documented)),
                responses: [
                    .json(.ok, "The identities, this one among them.", IdentityList.schema), Failure.invalidInputDocumented,
                    ProviderFields.requiredDocumented, ProviderFields.refusedDocumented,
                    Failure.recentSignInDocumented,
                    Failure.documented(.conflict, "Already linked to another account"), Failure.limitedDocumented,
                ] + BearerUser.refusals)
        }
    }
}
