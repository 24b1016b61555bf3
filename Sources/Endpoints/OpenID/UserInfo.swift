import HTTP
import Identity
import Routing
import Text

extension OpenID {
    /// `GET` and `POST /oauth2/userinfo` (OpenID Connect Core 1.0 §5.3): what the client may know of the user of an access token.
    struct UserInfo: Endpoint {
        static let path = Installation.userInfoPath
        private static let signedType: StaticString = "application/jwt"

        let services: Services
        let method: Method

        var path: String { Self.path }
        var accepts: AcceptedContent { method == .post ? .form : .none }

        func answer(_ request: Request) async throws(Failure) -> Response {
            let principal = try await BearerToken(services: services).principal(request, at: path)
            let server = services.authorization
            guard case .user(let userID, let sessionID, let grantID) = principal.subject else { throw BearerToken.invalidToken }
            guard principal.scopes.contains("openid") else { throw BearerToken.insufficientScope("openid") }
            // Another resource's token is none for us, whatever its scopes; nor is that of a client which is disabled or gone.
            guard principal.audiences.contains(server.userInfoAudience) || principal.audiences.contains(server.issuer),
                let client = try await Failure.mapIdentityErrors({ () throws(IdentityError) in
                    try await services.clients.known(principal.clientID.text)
                })
            else { throw BearerToken.invalidToken }
            let claims = try await claims(userID, principal, .init(sessionID: sessionID, grantID: grantID))
            let accepted = request.head.prefers(Self.signedType) ? client.idTokenAlgorithm : nil
            guard let algorithm = client.userInfoAlgorithm ?? accepted else {
                return .json(.ok, JSONValue.object(claims).serialized, fields: .notStored)
            }
            let signed = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try server.idTokens.userInfo(claims, for: principal.clientID, algorithm: algorithm)
            }
            return Response(.ok, contentType: Self.signedType, fields: .notStored, body: signed.revealedBytes)
        }

        private func claims(
            _ userID: UserID, _ principal: Principal, _ grant: AuthorizationCodeStore.GrantReference
        ) async throws(Failure) -> JSONObject {
            do throws(IdentityError) {
                let user = try await services.accounts.user(userID)
                guard !user.isDisabled else { throw .invalidToken }
                let further = try await services.authorization.claims(of: grant)
                var claims = JSONObject()
                claims["sub"] = .string(userID.description)
                let told = services.authorization.policy.claims.claims(of: user, scopes: principal.scopes, further: further)
                for member in told.members { claims[member.key] = member.value }
                return claims
            } catch {
                guard error == .invalidToken || error == .userNotFound else { throw Failure(error) }
                throw BearerToken.invalidToken
            }
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "What the client may know of the user (OpenID Connect Core 1.0 §5.3)",
                details:
                    "With `Accept: application/jwt`, or for a client with `userinfo_signed_response_alg`, the answer is signed.",
                security: [.accessToken],
                body: method == .post ? .optional(.form([.optional("access_token", .string)])) : nil,
                responses: [
                    .json(
                        .ok, "`sub`, and the claims of the scopes of the token.",
                        .object([
                            .required("sub", .uuid), .optional("name", .string), .optional("picture", .url),
                            .optional("email", .email), .optional("email_verified", .boolean),
                            .optional("phone_number", .string), .optional("updated_at", .integer),
                        ]).withFurtherMembers),
                    .text(.ok, "The same, signed.", type: Self.signedType.description),
                    Failure.documented(.badRequest, "`invalid_request`: There are two tokens."),
                    Failure.documented(
                        .unauthorized, "There is no token (`invalid_request`), or it is not good (`invalid_token`)."),
                    Failure.documented(.forbidden, "`insufficient_scope`: The token has not the scope `openid`."),
                    Failure.limitedDocumented,
                ])
        }
    }
}
