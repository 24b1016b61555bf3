import HTTP
import Identity

/// `POST /oauth2/revoke` (RFC 7009 §2): 200 also for a token that is none; another client's token is refused and stays.
struct Revoke: Sendable {
    let services: Services
    let authentication: ClientAuthentication

    func answer(_ request: Request) async throws(OAuthError) -> Response {
        let form = try TokenForm(request)
        let client = try await authentication.any(request, form.fields)
        let token = try form.token()
        do throws(IdentityError) {
            try await services.accessTokens.revoke(token, for: client.client, caller: Caller(request))
        } catch .clientNotPermitted {
            throw .invalidGrant
        } catch {
            throw OAuthError(error)
        }
        return .empty(.ok, fields: .notStored)
    }
}

extension Revoke {
    static var documentation: RouteDocumentation {
        RouteDocumentation(
            "Make a token bad (RFC 7009)",
            details: "An access token is revoked alone, a refresh token with its session. A public client names itself only.",
            security: [.none, ClientAuthentication.basic], body: .required(TokenForm.schema),
            responses: [
                .empty(.ok, "No such token is good."), OAuthError.invalidRequestDocumented,
                OAuthError.documented(
                    .badRequest, "invalid_grant", "The token was issued to another client."),
                OAuthError.invalidClientDocumented, OAuthError.slowDownDocumented,
            ])
    }
}
