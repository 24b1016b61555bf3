import HTTP
import Identity
import Routing
import Text

extension OpenID {
    /// `POST /oauth2/authorize-challenge` (draft-ietf-oauth-first-party-apps): the team's own app signs users in on its own screens, and gets a standard
    /// code at the end, with PKCE and without a browser.
    ///
    /// A step brings `username` and `password`, or `provider` and `id_token` (with `nonce` as the app has made it), or `email` to have a code
    /// mailed, which a later one brings as `mail_code`. What is missing or wrong is `insufficient_authorization`, with an `auth_session` for the
    /// next step; what cannot be done here is `redirect_to_web`.
    struct AuthorizationChallenge: Endpoint {
        static let path = "/oauth2/authorize-challenge"
        /// How long a code may take to be redeemed; what it would lead to ends then.
        private static let pendingLife = SessionLifetime(idle: .seconds(600), absolute: .seconds(600))

        let services: Services

        var path: String { Self.path }

        /// What a step goes on with.
        private struct Step {
            let request: AuthorizationRequest
            /// The user of `id_token_hint`.
            let hinted: UserID?
            let session: AuthorizationSession
            let name: Name?
            let form: ClientForm
            let caller: Caller
        }

        /// An `auth_session`: under which name the request is kept and, after a dot, where a mailed code is good. Nobody but the app has that.
        private struct Name {
            let text: SecretString
            let place: OneTimeCode?

            init?(_ form: ClientForm) {
                guard let parts = form["auth_session"]?.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
                else { return nil }
                text = SecretString(String(parts[0]))
                place = parts.count > 1 ? OneTimeCode(SecretString(String(parts[1]))) : nil
            }
        }

        func answer(_ request: Request) async throws(Failure) -> Response {
            let form = try ClientForm(request)
            return try await ClientGate(services: services).authorizing(request, form, at: path) { client throws(Failure) in
                try await answer(request, form, to: client)
            }
        }

        private func answer(_ request: Request, _ form: ClientForm, to client: Client) async throws(Failure) -> Response {
            // Whoever else's app showed such a screen would teach users to type their passwords anywhere.
            guard client.isFirstParty, client.maySignUsersIn, client.grantTypes.contains(.authorizationCode) else {
                throw .unauthorizedClient
            }
            let key = try await KeyProof(services: services).key(request, at: path)
            let thumbprint = key.map { Base64URL.encode($0.thumbprint) }
            let name = Name(form)
            let session = try await session(name, form, client, thumbprint)
            let checked = try Self.checked(session, client)
            let step = Step(
                request: checked, hinted: try hinted(checked), session: session, name: name, form: form,
                caller: Caller(request))
            if let code = form["mail_code"] { return try await answer(mailCode: SecretString(code), step) }
            if let email = form["email"] { throw try await insufficient(step, try await mailCode(to: email, step)) }
            guard let authentication = try await authentication(step) else { throw try await insufficient(step) }
            return try await code(authentication, step)
        }

        /// A new one, or the one that is under way.
        private func session(
            _ name: Name?, _ form: ClientForm, _ client: Client, _ thumbprint: String?
        ) async throws(Failure) -> AuthorizationSession {
            guard let name else {
                var fields = form.fields.pairs.filter { $0.name != "client_id" && $0.name != "nonce" }
                fields.append((name: "client_id", value: client.id.text))
                // The only one there is goes without saying; another one is refused.
                if form["response_type"] == nil { fields.append((name: "response_type", value: "code")) }
                var parameters = AuthorizationParameters(fields)
                if let thumbprint { parameters = try parameters.bound(to: thumbprint) }
                return AuthorizationSession(clientID: client.id, parameters: parameters, thumbprint: thumbprint)
            }
            let found = try await Failure.mapServiceFailures { () throws(ServiceFailure) in
                try await services.authorization.challenges.session(name.text, of: client.id, thumbprint: thumbprint)
            }
            guard let found else { throw Self.invalidSession }
            return found
        }

        private static let invalidSession = Failure(
            .badRequest, "invalid_session", "the auth_session is not valid, or no longer")

        /// Uses the name of this step up, once nothing can fail any more but that: of several with one name one goes on.
        private func finish(_ step: Step) async throws(Failure) {
            guard let name = step.name else { return }
            let isFirst = try await Failure.mapServiceFailures { () throws(ServiceFailure) in
                try await services.authorization.challenges.finish(name.text)
            }
            guard isFirst else { throw Self.invalidSession }
        }

        /// The same checks as for a browser's request, but for the redirect URI, which there is none of.
        private static func checked(_ session: AuthorizationSession, _ client: Client) throws(Failure) -> AuthorizationRequest {
            do throws(AuthorizationRefusal) {
                return try AuthorizationCheck().check(withoutRedirection: session.parameters, client: client)
            } catch {
                throw Failure(error)
            }
        }

        private func hinted(_ request: AuthorizationRequest) throws(Failure) -> UserID? {
            guard let token = request.idTokenHint else { return nil }
            let user: UserID?
            do throws(IdentityError) {
                user = try services.authorization.idTokens.user(ofHint: token)
            } catch {
                throw Failure(error)
            }
            guard let user else { throw .invalidRequest("the id_token_hint is no id token of ours") }
            return user
        }

        /// Who the credentials of this step say that it is; nil when they are missing or wrong.
        private func authentication(_ step: Step) async throws(Failure) -> Authentication? {
            if let name = step.form["username"], let password = step.form["password"] {
                return try await accepting { () throws(IdentityError) in
                    try await services.accounts.authenticate(
                        password: SignInAttempt(.usernameOrEmail(name), passwords: [SecretString(password)]),
                        client: step.request.client, caller: step.caller)
                }
            }
            if let name = step.form["provider"], let token = step.form["id_token"] {
                guard let provider = ProviderID(name) else { throw .invalidRequest("there is no such provider") }
                return try await accepting { () throws(IdentityError) in
                    try await signIn(SecretString(token), from: provider, step)
                }
            }
            return nil
        }

        private func signIn(
            _ token: SecretString, from provider: ProviderID, _ step: Step
        ) async throws(IdentityError) -> AuthenticationResult {
            let verifiedToken = try await services.federation.verify(
                token, from: provider, nonce: step.form["nonce"].map { SecretString($0) }, caller: step.caller)
            do throws(IdentityError) {
                return try await services.accounts.authenticate(
                    identity: verifiedToken, displayName: nil, client: step.request.client, caller: step.caller)
            } catch {
                if error.leavesProviderTokenUnused { try? await services.federation.giveBack(verifiedToken) }
                throw error
            }
        }

        /// Nil for credentials that are wrong.
        private func accepting(
            _ rule: () async throws(IdentityError) -> AuthenticationResult
        ) async throws(Failure) -> Authentication? {
            do throws(IdentityError) {
                return try await rule().completed()
            } catch {
                switch error {
                case .credentials(.invalid), .credentials(.userDisabled), .user(.invalidInput),
                    .federation(.invalidProviderToken):
                    return nil
                // What the app's screens do not do: linking accounts, proving an address.
                case .federation(.emailNeedsLinking), .credentials(.emailNotVerified):
                    throw Failure(.forbidden, "redirect_to_web", "the user has to sign in on the web")
                case .federation(.unknownProvider): throw .invalidRequest("there is no such provider")
                default: throw Failure(error)
                }
            }
        }

        /// Has a code mailed to a user's address, and says the same of every other.
        /// - Returns: where it is good.
        private func mailCode(to email: String, _ step: Step) async throws(Failure) -> OneTimeCode? {
            do throws(IdentityError) {
                return try await services.confirmations.requestSignInCode(email: email, caller: step.caller)
            } catch .user(.invalidInput) {
                return nil
            } catch {
                throw Failure(error)
            }
        }

        /// What was typed of a mail; it may be typed again while it is good and nobody has tried too often.
        private func answer(mailCode code: SecretString, _ step: Step) async throws(Failure) -> Response {
            guard let place = step.name?.place else { throw try await insufficient(step) }
            let signIn: Confirmations.SignInByCode
            do throws(IdentityError) {
                signIn = try await services.confirmations.signIn(
                    code: code, in: place, client: step.request.client, caller: step.caller)
            } catch {
                guard error == .invalidCode else { throw Failure(error) }
                throw try await insufficient(step, place)
            }
            do throws(Failure) {
                return try await self.code(signIn.authentication, step)
            } catch {
                if error.status.code >= 500 { await services.confirmations.giveBack(signIn) }
                throw error
            }
        }

        /// More is needed; with the name of the next step, and where a mailed code is good.
        private func insufficient(_ step: Step, _ place: OneTimeCode? = nil) async throws(Failure) -> Failure {
            let name = try await Failure.mapServiceFailures { () throws(ServiceFailure) in
                try await services.authorization.challenges.keep(step.session)
            }
            try await finish(step)
            var failure = Failure(.forbidden, "insufficient_authorization", "the credentials are missing or wrong")
            let known = place ?? step.name?.place
            failure.authorizationSession = known.map { SecretString("\(name.revealedText).\($0.text.revealedText)") } ?? name
            return failure
        }

        /// The code leads to a session of its own when it is redeemed; until then the user is held by one that ends by itself.
        private func code(_ authentication: Authentication, _ step: Step) async throws(Failure) -> Response {
            guard step.request.isAbout(authentication.user.id, hinted: step.hinted) else { throw try await insufficient(step) }
            if let refusal = step.request.refusal(ofSignInBy: authentication.methods) { throw Failure(refusal) }
            let (code, session) = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                let pending = try await services.sessions.beginWithCookie(
                    authentication, for: step.request.client, terms: CookieTerms(use: .browser, lifetime: Self.pendingLife),
                    caller: step.caller)
                return (try await services.authorization.code(for: step.request, in: pending.session), pending.session)
            }
            do throws(Failure) {
                try await finish(step)
            } catch {
                // What cannot be ended now ends by itself soon.
                try? await services.sessions.end(session.id, of: session.userID, reason: .signedOut, caller: step.caller)
                throw error
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("authorization_code", code.text.revealedText)
            writer.endObject()
            return .json(.ok, writer, fields: .notStored)
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign a user in on the screens of the team's own app (OAuth for first-party applications)",
                details: "In one step or several. The code is redeemed at `/oauth2/token` without a `redirect_uri`.",
                security: [.none, ClientGate.basic],
                body: .required(
                    .form([
                        .optional("client_id", .string), .optional("scope", .string), .optional("code_challenge", .string),
                        .optional("code_challenge_method", .constant("S256")), .optional("auth_session", .string),
                        .optional("username", .string), .optional("password", .password), .optional("email", .string),
                        .optional("mail_code", .string), .optional("provider", .string),
                        .optional("id_token", .string), .optional("nonce", .string),
                    ])),
                responses: [
                    .json(.ok, "The code.", .object([.required("authorization_code", .string)])),
                    Failure.documented(
                        .badRequest,
                        "`invalid_request`, `invalid_session`, `invalid_scope`, `unauthorized_client`, `access_denied`."),
                    Failure.clientDocumented,
                    Failure.documented(
                        .forbidden, "`insufficient_authorization`, with `auth_session` for the next step; `redirect_to_web`."),
                    Failure.limitedDocumented,
                ])
        }
    }
}
