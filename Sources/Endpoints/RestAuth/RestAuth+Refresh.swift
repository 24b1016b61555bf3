import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// `POST token/refresh/`: a new access token for a refresh token of 7.x, from the body or from its cookie.
    struct Refresh: Endpoint {
        let path = "/token/refresh/"

        let services: Services
        let api: Parts

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            let options = words.options
            let (sent, isFromCookie) = try Self.token(request, options)
            if isFromCookie { try OriginCheck(services).check(request.head) }
            let (token, userID) = try read(sent)
            let refreshed = try await refresh(token, Caller(request), rotates: options.rotatesRefreshTokens)
            let access = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.sessions.issue(in: refreshed.session, client: api.client) { facts in
                    api.tokens.sign(Claims.access(facts, userID: userID))
                }
            }
            let end = min(access.issuedAt.adding(SignInAnswer.refreshLife), refreshed.session.absoluteEnd)
            let successor =
                options.rotatesRefreshTokens
                ? api.tokens.sign(
                    Claims.refresh(refreshed.refreshToken, userID: userID, issuedAt: access.issuedAt, expiresAt: end))
                : nil
            var writer = JSONWriter(capacity: 1024)
            writer.beginObject()
            writer.member("access", access.text.revealedText)
            // Whatever a sign-in says of it.
            writer.member("access_expiration", access.expiresAt)
            if let successor, !(isFromCookie && options.tokenCookies.isHTTPOnly) {
                writer.member("refresh", successor.revealedText)
                writer.member("refresh_expiration", end)
            }
            writer.endObject()
            let cookies = Cookies.tokens(
                access: (access.text, access.expiresAt), refresh: successor.map { ($0, end) }, at: access.issuedAt, options)
            return words.response(.ok, writer).setting(cookies)
        }

        private static func token(
            _ request: Request, _ options: Options
        ) throws(Failure) -> (SecretString, isFromCookie: Bool) {
            var fields = try Fields(request)
            let sent = fields.secret("refresh", isRequired: false)
            if fields.has("refresh"), sent == nil, fields.isClean { fields.refuse("refresh", [.blank]) }
            try fields.check()
            if let sent { return (sent, false) }
            guard let cookie = Cookies.value(options.tokenCookies.refresh, in: request.head) else {
                throw .token(.noRefreshToken)
            }
            return (cookie, true)
        }

        /// Our refresh token inside, and whose it is.
        private func read(_ sent: SecretString) throws(Failure) -> (SecretString, userID: String) {
            switch api.tokens.read(sent, at: api.system.now()) {
            case .valid(let claims):
                guard Claims.kind(of: claims) == .refresh, let token = claims["jti"]?.stringValue,
                    let userID = claims["user_id"]?.stringValue
                else { throw .token(.token(.wrongType)) }
                return (SecretString(token), userID)
            case .expired: throw .token(.token(.expired))
            case .foreign: throw .token(.token(.invalid))
            }
        }

        private func refresh(
            _ token: SecretString, _ caller: Caller, rotates: Bool
        ) async throws(Failure) -> SessionTokens {
            do throws(IdentityError) {
                return try await services.sessions.refresh(
                    token, RefreshOptions(rotation: rotates, for: api.client.id), caller: caller)
            } catch .invalidRefreshToken {
                throw .token(.token(.blacklisted))
            } catch .userNotFound {
                throw .token(.userNotFound, code: "user_not_found")
            } catch {
                throw .identity(error)
            }
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "A new access token for a refresh token", body: .optional(.object([.optional("refresh", .string)])),
                responses: [
                    .json(
                        .ok, "The token.",
                        .object([
                            .required("access", .string), .required("access_expiration", .time), .optional("refresh", .string),
                            .optional("refresh_expiration", .time),
                        ])), Failure.fieldsDocumented(), Authenticator.refusals[0], Failure.crossSiteDocumented,
                    Failure.limitedDocumented,
                ])
        }
    }
}
