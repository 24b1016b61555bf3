import HTTP
import Identity
import Routing

extension OAuth {
    /// `POST /oauth2/revoke` (RFC 7009 §2): 200 also for a token that is none; another client's token is refused and stays.
    ///
    /// Scripts of any page may ask and read the answer (RFC 7009 §2.3): a public client in a browser is where it is, no cookie counts here, and
    /// who knows a token may end it.
    struct Revoke: Sendable {
        static let path = "/oauth2/revoke"
        /// What a browser is told that asks first.
        static let preflight = readable(
            .empty(
                .noContent,
                fields: [
                    "Access-Control-Allow-Methods": "POST", "Access-Control-Allow-Headers": "Content-Type",
                    "Access-Control-Max-Age": "600",
                ]))

        let services: Services
        let authentication: ClientAuthentication

        func answer(_ request: Request) async throws(Failure) -> Response {
            let form = try TokenForm(request)
            return try await authentication.any(request, form.fields) { client throws(Failure) in
                try await answer(request, form, to: client)
            }
        }

        private func answer(
            _ request: Request, _ form: TokenForm, to client: ClientRegistry.Entry
        ) async throws(Failure) -> Response {
            let token = try form.token()
            do throws(IdentityError) {
                try await services.accessTokens.revoke(token, for: client.client, caller: Caller(request))
            } catch .clientNotPermitted {
                throw .invalidGrant
            } catch {
                throw Failure(error)
            }
            return .empty(.ok, fields: .notStored)
        }

        static func readable(_ response: Response) -> Response {
            var response = response
            response.fields.append("Access-Control-Allow-Origin", "*")
            return response
        }

        static var preflightDocumentation: RouteDocumentation {
            RouteDocumentation(
                "What the scripts of pages may do here", responses: [.empty(.noContent, "They may send the form.")])
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Make a token bad (RFC 7009)",
                details:
                    "An access token is revoked with what was exchanged for it, a refresh token with its grant, and with the session if nothing else holds it. "
                    + "A public client names itself only.",
                security: [.none, ClientAuthentication.basic], body: .required(TokenForm.schema),
                responses: [
                    .empty(.ok, "No such token is good."), Failure.invalidRequestDocumented,
                    Failure.documented(
                        .badRequest, "invalid_grant", "The token was issued to another client."),
                    Failure.invalidClientDocumented, Failure.slowDownDocumented,
                ])
        }
    }
}
