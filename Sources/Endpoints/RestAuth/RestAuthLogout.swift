import HTTP
import Identity
import Routing
import Text

/// `POST` and `GET logout/`: ends the session of the key, the cookie or the refresh token that comes along (contract §3.2, §4). Where none
/// comes, nothing is left to end, and that is success too.
struct RestAuthLogout: RestAuthEndpoint {
    let path = "/logout/"
    /// Only a refresh token is looked for in the body: whatever else comes keeps nobody from signing out.
    var accepts: AcceptedContent { method == .post && api.options.isSimpleJWT ? .jsonOrAnyForm : .none }

    let services: Services
    let method: Method
    private var api: RestAuthServices { services.restAuth }

    init(services: Services, method: Method) {
        self.services = services
        self.method = method
    }

    func answer(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response {
        if method == .get {
            guard words.options.logsOutOnGet, RestAuthOrigin.permitsChangeByGet(request.head) else {
                throw .methodNotAllowed(request.head.method, allow: .post)
            }
        } else {
            try RestAuthOrigin(services).check(request.head)
        }
        let response =
            words.options.isSimpleJWT
            ? try await endByRefreshToken(request, words)
            : words.response(.ok, detail: try await endByKey(request, words.options))
        return response.setting(RestAuthCookies.signedOut(words.options))
    }

    /// Both, if they are of different sessions: the original forgets the key of one and the cookie of the other.
    private func endByKey(_ request: Request, _ options: RestAuthOptions) async throws(RestAuthError) -> RestAuthText {
        try await endAccessToken(request, options)
        try await endCookie(request)
        return .loggedOut
    }

    /// Whether there was one to end. A header that is none of ours is as good as none: it must not keep anybody from signing out.
    @discardableResult
    private func endAccessToken(_ request: Request, _ options: RestAuthOptions) async throws(RestAuthError) -> Bool {
        guard let token = (try? RestAuthToken.inHeader(of: request.head, options)) ?? nil else { return false }
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

    private func endCookie(_ request: Request) async throws(RestAuthError) {
        guard let cookie = RestAuthCookies.value(RestAuthCookies.session, in: request.head) else { return }
        try await restAuth { () throws(IdentityError) in
            try await services.sessions.signOut(cookie, use: .restAuth, caller: Caller(request))
        }
    }

    /// The session of the cookie ends first, as in the original: also for who is told then that the refresh token is no good.
    private func endByRefreshToken(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response {
        var fields = try RestAuthFields(request)
        let sent =
            RestAuthCookies.value(words.options.tokenCookies.refresh, in: request.head)
            ?? fields.secret("refresh", isRequired: false)
        try await endCookie(request)
        do throws(RestAuthError) {
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
        _ sent: SecretString?, _ request: Request, _ options: RestAuthOptions
    ) async throws(RestAuthError) -> RestAuthText {
        guard let sent else { return try await endWithoutRefreshToken(request, options) }
        guard case .valid(let claims) = api.tokens.read(sent, at: api.system.now()),
            RestAuthClaims.kind(of: claims) == .refresh, let token = claims["jti"]?.stringValue
        else { throw .token(.token(.invalid)) }
        try await restAuth { () throws(IdentityError) in
            try await services.sessions.signOut(SecretString(token), caller: Caller(request))
        }
        return .loggedOut
    }

    /// As the original without its blacklist, but the session of the access token does end.
    private func endWithoutRefreshToken(
        _ request: Request, _ options: RestAuthOptions
    ) async throws(RestAuthError) -> RestAuthText {
        guard !options.hasBlacklist else {
            throw .detail(
                .unauthorized, options.tokenCookies.refresh.isEmpty ? .refreshMissingInRequest : .refreshMissingInCookies)
        }
        let wasSignedIn = try await endAccessToken(request, options)
        guard wasSignedIn || options.beginsCookieSession else { throw .detail(.badRequest, .notLoggedIn) }
        return options.tokenCookies.access.isEmpty ? .tokenNotDeleted : .loggedOut
    }
}

extension RestAuthLogout {
    var documentation: RouteDocumentation {
        RouteDocumentation(
            method == .get ? "Sign out, for clients that can only follow a link" : "Sign out",
            security: RestAuthCaller.schemes(services.restAuth.options) + [.none],
            body: accepts == .none ? nil : .optional(.object([.optional("refresh", .string)])),
            responses: [RestAuthError.done("Successfully logged out."), RestAuthError.fieldsDocumented("No refresh token.")]
                + RestAuthCaller.refusals
                + (method == .get ? [RestAuthError.documented(.methodNotAllowed, "Switched off, or another site asks.")] : []))
    }
}
