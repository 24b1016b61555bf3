import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// `POST /auth/oauth`: signs in whom a provider's id token names, and makes the account at the first time. Without a proof nobody is signed in, unless a demonstration was told to believe the client.
    struct OAuthSignIn: Endpoint {
        static let method = Method.post
        static let path = "/auth/oauth"
        static let accepts = AcceptedContent.json

        let services: Services
        let options: Options

        private struct Body {
            let identity: ProviderFields
            /// Nil, or one that can be an address.
            let email: String?
            let name: String?
            let refresh: RefreshRotation.Mode
        }

        func answer(_ request: Request) async throws(Failure) -> Response {
            let body = try read(request)
            let caller = Caller(request)
            guard body.identity.isComplete else { throw .providerRequired }
            let (user, tokens) =
                body.identity.token == nil
                ? try await believe(body, caller) : try await verify(body, caller)
            return try await AuthResponse.make(.ok, user, tokens, services)
        }

        private func begin(
            _ result: AuthenticationResult, _ body: Body, _ caller: Caller
        ) async throws(IdentityError) -> (User, SessionTokens) {
            let authentication = try result.completed()
            let tokens = try await services.sessions.begin(
                authentication, for: services.app, refresh: body.refresh, caller: caller)
            return (authentication.user, tokens)
        }

        private func verify(_ body: Body, _ caller: Caller) async throws(Failure) -> (User, SessionTokens) {
            let providerTokens = ProviderIDTokens(services: services)
            let verifiedToken = try await providerTokens.verified(body.identity, caller)
            let signedIn = try await providerTokens.using(verifiedToken) { verifiedToken throws(IdentityError) in
                let result = try await services.accounts.authenticate(
                    identity: verifiedToken, displayName: body.name, claimedEmail: body.email, client: services.app,
                    caller: caller)
                return try await begin(result, body, caller)
            }
            await providerTokens.exchangeCode(of: body.identity, verifiedToken, signedIn.0.id, caller)
            return signedIn
        }

        private func believe(_ body: Body, _ caller: Caller) async throws(Failure) -> (User, SessionTokens) {
            guard options.believesUnprovedIdentities, let provider = body.identity.provider,
                let subject = body.identity.subject, let email = body.email
            else { throw .identity(.invalidProviderToken) }
            return try await Failure.mapIdentityErrors { () throws(IdentityError) in
                let result = try await services.accounts.authenticate(
                    unproved: provider, subject: subject, email: email, displayName: body.name, client: services.app,
                    caller: caller)
                return try await begin(result, body, caller)
            }
        }

        /// The address in a body. Apple tells it the first time only, so a client with a token may have none, or an empty one.
        static func email(_ fields: inout FieldReader, isProved: Bool) -> String? {
            guard isProved else { return fields.string("email") }
            return fields.optionalString("email").flatMap { $0.isEmpty ? nil : $0 }
        }

        private func read(_ request: Request) throws(Failure) -> Body {
            var body = try JSONBody(request)
            let email = Self.email(&body.fields, isProved: ProviderFields.bringToken(body.fields))
            let name = body.fields.optionalString("name")
            let rotates = body.fields.optionalBool("rotate") ?? false
            let identity = ProviderFields(&body.fields, configured: services.federation.providers.map(\.id))
            let issues =
                body.issues + [identity.issue].compactMap(\.self)
                + Accounts.objections(email: email, password: nil, displayName: name).map { Issue($0) }
            guard issues.isEmpty else { throw .invalidInput(issues) }
            return Body(identity: identity, email: email, name: name, refresh: rotates ? .rotating : .static)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign a user in by a provider's id token, and make the account at the first time",
                body: .required(
                    .object(
                        [
                            .optional(
                                "email",
                                .string.orNull.described(
                                    "Required without an id token; with one it counts only where that has none.")
                            ),
                            .optional(
                                "name", .string.orNull.described("Kept where there is no name yet: Apple tells it only once.")),
                            .optional("rotate", Login.rotate),
                        ] + ProviderFields.documented)),
                responses: [
                    .json(.ok, "The user is signed in, be it the first time or not.", AuthResponse.schema),
                    Failure.invalidInputDocumented, ProviderFields.requiredDocumented, ProviderFields.refusedDocumented,
                    Failure.documented(
                        .badRequest, "Email already exists with different provider",
                        "The address is somebody's, and the token is not enough: to sign in as before and link then."),
                    Failure.limitedDocumented,
                ])
        }
    }
}
