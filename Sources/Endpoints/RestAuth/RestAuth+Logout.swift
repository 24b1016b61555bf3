import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// `POST` and `GET logout/`: ends the session of the key, the cookie or the refresh token that comes along. Where none
    /// comes, nothing is left to end, and that is success too.
    struct Logout: Endpoint {
        let path = "/logout/"
        /// Only a refresh token is looked for in the body: whatever else comes keeps nobody from signing out.
        var accepts: AcceptedContent { method == .post && api.options.isSimpleJWT ? .jsonOrAnyForm : .none }

        let services: Services
        let api: Parts
        let method: Method

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            if method == .get {
                guard words.options.logsOutOnGet, OriginCheck.permitsChangeByGet(request.head) else {
                    throw .methodNotAllowed(request.head.method, allow: .post)
                }
            } else {
                try OriginCheck(services).check(request.head)
            }
            let response =
                words.options.isSimpleJWT
                ? try await endByRefreshToken(request, words)
                : words.response(.ok, detail: try await endByKey(request, words.options))
            return response.setting(Cookies.signedOut(words.options))
        }

        /// Both, if they are of different sessions: the original forgets the key of one and the cookie of the other.
        private func endByKey(_ request: Request, _ options: Options) async throws(Failure) -> Sentence {
            try await endAccessToken(request, options)
            try await endCookie(request)
            return .loggedOut
        }

        /// Whether there was one to end. A header that is none of ours is as good as none: it must not keep anybody from signing out.
        @discardableResult
        private func endAccessToken(_ request: Request, _ options: Options) async throws(Failure) -> Bool {
            guard let token = (try? HeaderToken.inHeader(of: request.head, options)) ?? nil else { return false }
            do throws(IdentityError) {
                let owner = try await services.accessTokens.authenticate(token, for: .signOut)
                try await services.sessions.end(
                    owner.sessionID, of: owner.userID, reason: .signedOut, caller: Caller(request))
                return true
            } catch .invalidToken {
                return false
            } catch .userNotFound {
                return false
            } catch .sessionNotFound {
                return true
            } catch {
                throw .identity(error)
            }
        }

        private func endCookie(_ request: Request) async throws(Failure) {
            guard let cookie = Cookies.value(Cookies.session, in: request.head) else { return }
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.sessions.signOut(cookie, use: .restAuth, caller: Caller(request))
            }
        }

        /// The session of the cookie ends first, as in the original: also for who is told then that the refresh token is no good.
        private func endByRefreshToken(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            var fields = try Fields(request)
            let sent =
                Cookies.value(words.options.tokenCookies.refresh, in: request.head)
                ?? fields.secret("refresh", isRequired: false)
            try await endCookie(request)
            do throws(Failure) {
                return words.response(.ok, detail: try await end(sent, request, words.options))
            } catch .token(let text, let code) {
                return words.refusal(text, code: code)
            } catch .detail(let status, let text) {
                return words.response(status, detail: text)
            } catch {
                throw error
            }
        }

        private func end(
            _ sent: SecretString?, _ request: Request, _ options: Options
        ) async throws(Failure) -> Sentence {
            guard let sent else { return try await endWithoutRefreshToken(request, options) }
            guard case .valid(let claims) = api.tokens.read(sent, at: api.system.now()),
                Claims.kind(of: claims) == .refresh, let token = claims["jti"]?.stringValue
            else { throw .token(.token(.invalid)) }
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.sessions.signOut(SecretString(token), caller: Caller(request))
            }
            return .loggedOut
        }

        /// As the original without its blacklist, but the session of the access token does end.
        private func endWithoutRefreshToken(
            _ request: Request, _ options: Options
        ) async throws(Failure) -> Sentence {
            guard !options.hasBlacklist else {
                throw .detail(
                    .unauthorized, options.tokenCookies.refresh.isEmpty ? .refreshMissingInRequest : .refreshMissingInCookies)
            }
            let wasSignedIn = try await endAccessToken(request, options)
            guard wasSignedIn || options.beginsCookieSession else { throw .detail(.badRequest, .notLoggedIn) }
            return options.tokenCookies.access.isEmpty ? .tokenNotDeleted : .loggedOut
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                method == .get ? "Sign out, for clients that can only follow a link" : "Sign out",
                security: Authenticator.schemes(api.options) + [.none],
                body: accepts == .none ? nil : .optional(.object([.optional("refresh", .string)])),
                responses: [Failure.done("Successfully logged out."), Failure.fieldsDocumented("No refresh token.")]
                    + Authenticator.refusals
                    + (method == .get ? [Failure.documented(.methodNotAllowed, "Switched off, or another site asks.")] : []))
        }
    }
}
