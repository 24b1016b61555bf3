import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// `POST /auth/register`: makes a user and signs them in.
    struct Register: Endpoint {
        static let method = Method.post
        static let path = "/auth/register"
        static let accepts = AcceptedContent.json

        let services: Services
        let options: Options

        private struct Body {
            /// Nil only with a token.
            let email: String?
            let password: SecretString?
            let name: String?
            let identity: ProviderFields
            let refresh: RefreshRotation.Mode
        }

        func answer(_ request: Request) async throws(Failure) -> Response {
            let body = try read(request)
            if services.accounts.rules.signsUpByMail, body.identity.token == nil, let email = body.email,
                let password = body.password
            {
                try await Mailer(services, options).signUp(
                    Accounts.SignUp(email: email, password: password, displayName: body.name), client: services.app, request)
                return MailAccepted.response
            }
            let (user, tokens) = try await signUp(body, Caller(request))
            await sendVerification(to: user, request)
            // Who has just come has set nothing.
            return AuthResponse.make(.created, user, AppSettings(), tokens)
        }

        /// Puts a mail for the address into the outbox. The sign-up stands: a mail that cannot be written now can be asked for again.
        private func sendVerification(to user: User, _ request: Request) async {
            guard options.mailsVerification, !user.emailVerified else { return }
            try? await Mailer(services, options).requestVerification(of: user, request)
        }

        /// With a token by what it proves; else by the password, whatever the body says of a provider.
        private func signUp(_ body: Body, _ caller: Caller) async throws(Failure) -> (User, SessionTokens) {
            if body.identity.token != nil { return try await signUpProved(body, caller) }
            guard let email = body.email else { throw .malformedJSON }
            guard let password = body.password else { return try await signUpBelieved(body, email, caller) }
            return try await Failure.mapIdentityErrors { () throws(IdentityError) in
                let authentication = try await services.accounts.signUpWithSession(
                    Accounts.SignUp(email: email, password: password, displayName: body.name), client: services.app,
                    caller: caller)
                return (authentication.user, try await begin(authentication, body, caller))
            }
        }

        private func begin(
            _ authentication: Authentication, _ body: Body, _ caller: Caller
        ) async throws(IdentityError) -> SessionTokens {
            try await services.sessions.begin(authentication, for: services.app, refresh: body.refresh, caller: caller)
        }

        private func signUpProved(_ body: Body, _ caller: Caller) async throws(Failure) -> (User, SessionTokens) {
            let providerTokens = ProviderIDTokens(services: services)
            let verifiedToken = try await providerTokens.verified(body.identity, caller)
            let (user, tokens) = try await providerTokens.using(verifiedToken) { verifiedToken throws(IdentityError) in
                let authentication = try await services.accounts.signUp(
                    with: verifiedToken, password: body.password, displayName: body.name, claimedEmail: body.email,
                    client: services.app,
                    caller: caller)
                return (authentication.user, try await begin(authentication, body, caller))
            }
            await providerTokens.exchangeCode(of: body.identity, verifiedToken, user.id, caller)
            return (user, tokens)
        }

        private func signUpBelieved(
            _ body: Body, _ email: String, _ caller: Caller
        ) async throws(Failure) -> (User, SessionTokens) {
            guard let provider = body.identity.provider, let subject = body.identity.subject else { throw .providerRequired }
            return try await Failure.mapIdentityErrors { () throws(IdentityError) in
                let authentication = try await services.accounts.authenticate(
                    unproved: provider, subject: subject, email: email, displayName: body.name, client: services.app,
                    caller: caller
                ).completed()
                guard authentication.isNew else { throw .emailTaken }
                return (authentication.user, try await begin(authentication, body, caller))
            }
        }

        private func read(_ request: Request) throws(Failure) -> Body {
            var body = try JSONBody(request)
            let isProved = ProviderFields.bringToken(body.fields)
            let email = OAuthSignIn.email(&body.fields, isProved: isProved)
            let password = body.fields.optionalString("password", null: .wrongType)
            let name = body.fields.optionalString("name")
            let rotates = body.fields.optionalBool("rotate") ?? false
            let identity = ProviderFields(&body.fields, configured: services.federation.providers.map(\.id))
            let secret = password.flatMap { isProved && $0.isEmpty ? nil : SecretString($0) }
            var issues = body.issues + [identity.issue].compactMap(\.self)
            issues += Accounts.objections(email: email, password: secret, displayName: name).map { Issue($0) }
            let isEnough = isProved || options.believesUnprovedIdentities && identity.isComplete
            if body.hasRightShape, identity.issue == nil, password?.isEmpty ?? true, !isEnough {
                issues.append(
                    Issue(code: "custom", message: "Password is required for non-OAuth registration", path: ["password"]))
            }
            guard issues.isEmpty else { throw .invalidInput(issues) }
            return Body(email: email, password: secret, name: name, identity: identity, refresh: rotates ? .rotating : .static)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Make a user and sign them in",
                details: "With an id token the account is made for whom it names, with the address that it has.",
                body: .required(
                    .object(
                        [
                            .optional(
                                "email",
                                .email.described(
                                    "Unique without regard to letter case. Required unless there is an id token with one.")),
                            .optional(
                                "password",
                                .password.with("minLength", 8).described(
                                    "At least 8 characters, at most 1024 bytes, and none of the commonest. Required without an id token."
                                )),
                            .optional(
                                "name", .string.orNull.described("At most 200 characters, trimmed; empty counts as absent.")),
                            .optional("rotate", Login.rotate),
                        ] + ProviderFields.documented)),
                responses: [
                    .json(.created, "The user is signed in.", AuthResponse.schema),
                    .json(
                        .accepted,
                        "With `KIDOBAN_SIGN_UP_BY_MAIL`: the same for every address, and without tokens. The mail says how to go on.",
                        MailAccepted.schema),
                    Failure.invalidInputDocumented,
                    Failure.documented(.badRequest, "Email already exists"), ProviderFields.requiredDocumented,
                    ProviderFields.refusedDocumented, Failure.limitedDocumented,
                ])
        }
    }
}
