import HTTP
import Identity
import Routing
import Text

extension SignInPages {
    /// `POST /sign-in/provider`: leads to a provider, and notes in which browser that began.
    struct BeginProviderSignIn: Endpoint {
        static let method = Method.post
        static let path = "/sign-in/provider"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let form = try visit.form()
            let (destination, purpose) = try await parts.start(form, &visit)
            guard let provider = parts.providerChoice(form.value("provider")) else { throw .badRequest }
            guard visit.isOwn(form) else {
                return SignInView(
                    parts: parts, purpose: purpose, destination: destination, email: purpose.loginHint ?? "", signedInAs: nil
                ).notOwn(visit)
            }
            return try await parts.lead(to: provider, for: destination, linksTo: nil, visit)
        }

        static var documentation: RouteDocumentation {
            document("Sign in at a provider", form: [.required("provider", .string), continueMember], goesOnDocumented)
        }
    }

    /// `POST /account/link`: the same to make a provider one more way to sign in. The sign-in must be a recent one.
    struct LinkProvider: Endpoint {
        static let method = Method.post
        static let path = "/account/link"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let (form, session) = try await visit.acting()
            guard let provider = parts.providerChoice(form.value("provider")) else { throw .badRequest }
            let (id, caller) = (session.session, visit.caller)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await parts.services.accounts.requireRecentSignIn(of: id.userID, session: id.id, caller: caller)
            }
            return try await parts.lead(to: provider, for: .account, linksTo: id.id, visit)
        }

        static var documentation: RouteDocumentation {
            document("Make a provider one more way to sign in", form: [.required("provider", .string)], goesOnDocumented)
        }
    }

    /// `POST /sign-in/callback/{provider}`: a provider's form. It comes from another site and brings no cookie, so what it says is kept beside the
    /// attempt, and a `GET` goes on that brings one.
    struct PostedProviderAnswer: Endpoint {
        static let method = Method.post
        static let path = "/sign-in/callback/{provider}"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            guard let provider = parts.providerChoice(visit.request.pathParameters.first) else { throw .notFound }
            guard let form = try? FormFields(parsing: visit.request.body), let state = form.value("state"), state.utf8.count == 43
            else { throw .badRequest }
            let code = form.secret("code").flatMap { $0.isEmpty ? nil : $0 }
            let name = form.value("user").flatMap { Self.name($0) }
            try await Failure.mapServiceFailures { () throws(ServiceFailure) in
                try await parts.attempts.note(code: code, name: name, hasFailed: code == nil, for: state)
            }
            return visit.goOn(to: "/sign-in/callback/\(provider.id.text)?state=\(PercentEncoding.encode(state))")
        }

        /// Apple tells it at the first sign-in only: `{"name":{"firstName":…,"lastName":…}}`.
        private static func name(_ user: String) -> String? {
            guard user.utf8.count <= 4096, let name = (try? JSON.parse(Array(user.utf8)))?["name"] else { return nil }
            let parts = [name["firstName"]?.stringValue, name["lastName"]?.stringValue].compactMap(\.self)
            let text = parts.joined(separator: " ").trimmedOfSpaces
            return text.isEmpty || (try? DisplayName(text)) == nil ? nil : text
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "What a provider posts", parameters: [.path("provider", .string, "Which one.")],
                body: .required(.object([.required("state", .string), .optional("code", .string), .optional("user", .string)])),
                responses: [
                    goesOnDocumented, .text(.badRequest, "A page: the form cannot be read.", type: "text/html"),
                    .text(.notFound, "A page: there is no such provider.", type: "text/html"),
                ])
        }
    }

    /// `GET /sign-in/callback/{provider}`: somebody comes back from a provider, in the browser in which that began.
    struct FinishProviderSignIn: Endpoint {
        static let method = Method.get
        static let path = "/sign-in/callback/{provider}"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            guard let provider = parts.providerChoice(visit.request.pathParameters.first) else { throw .notFound }
            guard let query = visit.query, let state = query.value("state"), state.utf8.count == 43 else { throw .badLink }
            let found = try await Failure.mapServiceFailures { () throws(ServiceFailure) in
                try await parts.attempts.attempt(state)
            }
            // Of another browser, or one that is over: nobody is signed in by somebody else's answer.
            guard let attempt = found, attempt.provider == provider.id, attempt.binding == visit.secret.binding,
                let destination = Destination(attempt.destination)
            else { throw .badLink }
            let isFirst = try await Failure.mapServiceFailures { () throws(ServiceFailure) in
                try await parts.attempts.end(state)
            }
            guard isFirst else { throw .badLink }
            let purpose = try await parts.purpose(of: destination, &visit)
            guard let code = attempt.code ?? query.secret("code"), !code.isEmpty, !attempt.hasFailed else {
                return try await refused(.providerRefused, provider, attempt, destination, purpose, visit)
            }
            do throws(IdentityError) {
                return try await finish(attempt, provider, code, purpose, destination, visit)
            } catch .emailNeedsLinking {
                return try await refused(.emailNeedsLinking, provider, attempt, destination, purpose, visit)
            } catch .identityTaken {
                return try await refused(.identityTaken, provider, attempt, destination, purpose, visit)
            } catch .invalidProviderToken, .invalidCredentials, .user(.invalidInput), .unknownProvider, .sessionNotFound,
                .invalidToken
            {
                return try await refused(.providerRefused, provider, attempt, destination, purpose, visit)
            } catch {
                throw .identity(error)
            }
        }

        private func finish(
            _ attempt: ProviderAttempt, _ provider: ProviderChoice, _ code: SecretString, _ purpose: SignInPurpose,
            _ destination: Destination, _ visit: Visit
        ) async throws(IdentityError) -> Response {
            let (services, caller) = (parts.services, visit.caller)
            let (verifiedToken, refreshToken) = try await services.federation.redeem(
                code, verifier: provider.hasPKCE ? attempt.verifier : nil, from: provider.id, nonce: attempt.nonce,
                redirectURI: parts.callback(of: provider), caller: caller)
            let (userID, response): (UserID, Response)
            do throws(IdentityError) {
                (userID, response) = try await use(verifiedToken, attempt, provider, purpose, destination, visit)
            } catch {
                if error.leavesProviderTokenUnused { try? await services.federation.giveBack(verifiedToken) }
                throw error
            }
            if let refreshToken { await services.codes.keep(refreshToken, of: verifiedToken, userID: userID, caller: caller) }
            return response
        }

        private func use(
            _ verifiedToken: VerifiedIDToken, _ attempt: ProviderAttempt, _ provider: ProviderChoice, _ purpose: SignInPurpose,
            _ destination: Destination, _ visit: Visit
        ) async throws(IdentityError) -> (UserID, Response) {
            let accounts = parts.services.accounts
            if let wanted = attempt.linksTo {
                guard let current = try await parts.browser.current(visit.request)?.session, current.id == wanted else {
                    throw .sessionNotFound
                }
                try await accounts.link(verifiedToken, to: current.userID, session: current.id, caller: visit.caller)
                return (current.userID, Notice(.linked, provider.id.text).response(visit))
            }
            let authentication = try await accounts.authenticate(
                identity: verifiedToken, displayName: attempt.name, client: parts.services.app, caller: visit.caller
            ).completed()
            let response = try await parts.signIn(
                authentication, isRemembered: false, for: purpose, destination, visit)
            return (authentication.user.id, response)
        }

        private func refused(
            _ text: SignInText, _ provider: ProviderChoice, _ attempt: ProviderAttempt, _ destination: Destination,
            _ purpose: SignInPurpose, _ visit: Visit
        ) async throws(Failure) -> Response {
            if attempt.linksTo != nil { return Notice(text, provider.id.text).response(visit) }
            var view = SignInView(parts: parts, purpose: purpose, destination: destination, email: "", signedInAs: nil)
            view.providerProblem = (text, provider.name)
            return view.response(.badRequest, visit)
        }

        static var documentation: RouteDocumentation {
            document(
                "Come back from a provider",
                parameters: [
                    .path("provider", .string, "Which one."), .query("state", .string, "Of the attempt."),
                    .query("code", .string, "Of the provider."),
                ], goesOnDocumented, .text(.notFound, "A page: there is no such provider.", type: "text/html"))
        }
    }
}

extension SignInPages.Parts {
    /// Where a provider sends people back to; to be registered there.
    func callback(of provider: ProviderChoice) -> String {
        "\(services.authorization.issuer)/sign-in/callback/\(provider.id.text)"
    }

    /// To a provider, with `state` and `nonce` that are bound to the browser. Whoever asks has it kept for a while, so it counts as a
    /// request for an authorization.
    func lead(
        to provider: ProviderChoice, for destination: Destination, linksTo session: SessionID?, _ visit: Visit
    ) async throws(SignInPages.Failure) -> Response {
        guard let clientID = services.federation.codeClientID(at: provider.id) else { throw .notFound }
        let (limits, caller) = (services.authorization.limits, visit.caller)
        let begun = try await SignInPages.Failure.mapIdentityErrors { () throws(IdentityError) in
            try await limits.takeAuthorization(caller)
            return try await mapServiceFailures { () throws(ServiceFailure) in
                try await attempts.begin(
                    at: provider.id, binding: visit.secret.binding, destination: destination.text, linksTo: session)
            }
        }
        var fields: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", callback(of: provider)),
            ("scope", provider.postsAnswer ? "name email" : "openid email profile"), ("state", begun.state.revealedText),
            ("nonce", begun.attempt.nonce.revealedText),
        ]
        if provider.postsAnswer { fields.append(("response_mode", "form_post")) }
        if provider.hasPKCE { fields += [("code_challenge", begun.challenge), ("code_challenge_method", "S256")] }
        let location =
            provider.authorizeURL + (provider.authorizeURL.contains("?") ? "&" : "?") + PercentEncoding.encode(fields: fields)
        return .empty(
            .seeOther, fields: ["Location": location, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"])
    }
}
