import HTTP
import Identity
import Routing
import Text

extension OpenID {
    /// `GET` and `POST /oauth2/authorize` (RFC 6749 §3.1, OpenID Connect Core 1.0 §3.1.2).
    ///
    /// It shows no form. Where somebody has to act it leads to a page, which leads back when it is done; everything is checked again then.
    /// `AuthorizationCheck` has the order of the checks, and says which errors go to the client.
    struct Authorize: Sendable {
        static let path = "/oauth2/authorize"

        let services: Services
        let browser: BrowserSession

        func answer(_ request: Request) async -> Response {
            let (limits, caller) = (services.authorization.limits, Caller(request))
            let secret = BrowserSecret(request, browser, random: services.authorization.system.random)
            do throws(IdentityError) {
                try await limits.takeAuthorization(caller)
                guard let fields = Self.fields(request) else {
                    return page(.refused(Self.malformed), request)
                }
                let reading = try await AuthorizationReader(services: services).read(fields, in: secret)
                switch reading.outcome {
                case .shown(let refusal): return page(.refused(refusal), request)
                case .redirected(let refusal, to: let back): return redirect(refusal, to: back, request)
                case .accepted(let accepted):
                    if let again = again(reading, request, secret) { return again }
                    try await limits.takeAuthorization(of: accepted.client.id, caller)
                    return try await proceed(accepted, reading, request, secret)
                }
            } catch {
                return page(.identity(error), request)
            }
        }

        private func page(_ problem: OpenIDErrorPage.Problem, _ request: Request) -> Response {
            OpenIDErrorPage.render(problem, request, services.look)
        }

        private static let malformed = AuthorizationRefusal(.invalidRequest, "The parameters cannot be read.")

        /// Those of the query of a `GET`, and of the body of a `POST`. Nil for what cannot be read.
        private static func fields(_ request: Request) -> [(name: String, value: String)]? {
            let bytes = request.head.method == .post ? request.body : request.head.queryBytes
            return (try? FormFields(withRepetitions: bytes))?.pairs
        }

        /// A form of a client's page brings no cookie along, so it becomes a `GET`, which does.
        private func again(
            _ reading: AuthorizationReader.Reading, _ request: Request, _ secret: BrowserSecret
        ) -> Response? {
            let continuation = Continuation(reading.sent.fields)
            guard request.head.method == .post, secret.isNew, !continuation.isTooLong else { return nil }
            let base = LocalAddress.path(of: services.authorization.issuer)
            return .empty(.seeOther, fields: ["Location": base + continuation.path, "Cache-Control": "no-store"])
        }

        private func proceed(
            _ accepted: AuthorizationRequest, _ reading: AuthorizationReader.Reading, _ request: Request, _ secret: BrowserSecret
        ) async throws(IdentityError) -> Response {
            let server = services.authorization
            let back = AuthorizationCheck.Return(accepted)
            let session = try await browser.current(request)?.session
            var hinted: UserID?
            if let token = accepted.idTokenHint {
                hinted = try server.idTokens.user(ofHint: token)
                guard hinted != nil else {
                    return redirect(
                        AuthorizationRefusal(
                            .invalidRequest, "The id_token_hint is no id token of ours.", parameter: "id_token_hint"),
                        to: back, request)
                }
            }
            var consent: Consent?
            if let session, !accepted.client.isFirstParty || accepted.prompts.contains(.consent) {
                consent = try await server.consents.consent(of: session.userID, to: accepted.client.id)
            }
            let known = AuthorizationDecision.Circumstances(
                session: session, consent: consent, hinted: hinted, startedAt: reading.startedAt, now: server.system.now())
            switch AuthorizationDecision(accepted, known) {
            case .refused(let refusal): return redirect(refusal, to: back, request)
            case .signIn: return try await page("/sign-in", accepted, reading, secret)
            case .signUp: return try await page("/sign-up", accepted, reading, secret)
            case .consent: return try await page("/consent", accepted, reading, secret)
            case .granted:
                guard let session else { throw .fault() }
                if let name = reading.pushedName {
                    let isFirst = try await mapServiceFailures { () throws(ServiceFailure) in
                        try await server.pushed.finish(name)
                    }
                    guard isFirst else { return page(.refused(AuthorizationReader.unknownRequest), request) }
                }
                let code = try await server.code(for: accepted, in: session)
                return AuthorizationResponse.make(
                    [("code", code.text.revealedText)], to: back, issuer: server.issuer,
                    SignInWords(language: AcceptedLanguage(request.head), look: services.look))
            }
        }

        private func redirect(
            _ refusal: AuthorizationRefusal, to back: AuthorizationCheck.Return, _ request: Request
        ) -> Response {
            AuthorizationResponse.make(
                [("error", refusal.code.rawValue), ("error_description", refusal.description)], to: back,
                issuer: services.authorization.issuer,
                SignInWords(language: AcceptedLanguage(request.head), look: services.look))
        }

        /// Leads to a page, and says there how to go on.
        private func page(
            _ path: String, _ accepted: AuthorizationRequest, _ reading: AuthorizationReader.Reading, _ secret: BrowserSecret
        ) async throws(IdentityError) -> Response {
            let server = services.authorization
            let startedAt = reading.startedAt ?? server.system.now()
            var sent = reading.sent
            if Continuation(sent.fields).isTooLong {
                let name = try await mapServiceFailures { () throws(ServiceFailure) in
                    try await server.pushed.push(reading.sent, of: accepted.client.id, life: InteractionMarks.life)
                }
                sent = AuthorizationParameters([("client_id", accepted.client.id.text), ("request_uri", name)])
            }
            let mark = server.marks.mark(at: startedAt, for: sent.digest, in: secret.binding)
            let continuation = Continuation(sent.fields + [(name: InteractionMarks.parameter, value: mark)])
            var fields: ResponseFields = [
                "Location": continuation.address(of: path, under: server.issuer), "Cache-Control": "no-store",
            ]
            if secret.isNew { fields.append(secret.cookie(browser)) }
            return .empty(.seeOther, fields: fields)
        }

        /// - Parameter isForm: whether the parameters are in the body.
        static func documentation(isForm: Bool) -> RouteDocumentation {
            RouteDocumentation(
                "Ask for an authorization code (RFC 6749 §4.1, OpenID Connect Core 1.0 §3.1.2)",
                details:
                    "With PKCE (`S256`). Where somebody has to act the answer leads to a page, which leads back here. Parameters that are not known are ignored.",
                body: isForm
                    ? .required(
                        .form([
                            .required("client_id", .string), .optional("response_type", .constant("code")),
                            .optional("redirect_uri", .url), .optional("request_uri", .string),
                        ])) : nil,
                responses: [
                    .empty(
                        .seeOther, "To the client with `code`, `state` and `iss`, or `error`; or to a page of ours.",
                        fields: [("Location", "Where to.")]),
                    .text(.ok, "A page that posts the same to the client (`response_mode=form_post`).", type: "text/html"),
                    .text(
                        .badRequest, "A page: the client or its redirect URI is not right, so nobody is redirected.",
                        type: "text/html"),
                    .text(.tooManyRequests, "A page that says to come again later.", type: "text/html"),
                ])
        }
    }
}

extension AuthorizationCheck.Return {
    init(_ request: AuthorizationRequest) {
        self.init(redirectURI: request.redirectURI, mode: request.responseMode, state: request.state)
    }
}

/// What the user is shown where nobody may be redirected.
enum OpenIDErrorPage {
    enum Problem: Sendable {
        case refused(AuthorizationRefusal)
        case identity(IdentityError)
    }

    static func render(_ problem: Problem, _ request: Request, _ look: PageLook) -> Response {
        let words = SignInWords(language: AcceptedLanguage(request.head), look: look)
        switch problem {
        case .refused(let refusal):
            var page = Page(title: words[.requestRefused], language: words.language, look: look, hidesAddress: false)
            page.alert(words[.requestRefusedText])
            // For the developer; it is of our own constants, but for names of parameters and scopes.
            page.append("<p class=\"soft\" lang=\"en\">\(refusal.code.rawValue): \(refusal.description)</p>")
            return page.response(.badRequest)
        case .identity(let error): return SignInPages.Failure.identity(error).response(words, base: "")
        }
    }
}
