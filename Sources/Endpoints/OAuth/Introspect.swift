import HTTP
import Identity
import Routing
import Text

extension OAuth {
    /// `POST /oauth2/introspect` (RFC 7662 §2): authenticate the client, read the form, ask, write.
    struct Introspect: Sendable {
        let services: Services
        let authentication: ClientAuthentication

        func answer(_ request: Request) async throws(Failure) -> Response {
            let form = try TokenForm(request)
            return try await authentication.confidential(request, form.fields) { client throws(Failure) in
                try await answer(request, form, to: client)
            }
        }

        private func answer(
            _ request: Request, _ form: TokenForm, to client: ClientRegistry.Entry
        ) async throws(Failure) -> Response {
            let token = try form.token()
            do throws(IdentityError) {
                let answer = try await services.introspection.answer(
                    token, hint: form.hint, tellsLife: form.tellsLife, for: client)
                guard request.head.prefers(Self.signedType) else { return .json(.ok, answer, fields: .notStored) }
                let signed = try services.introspection.signed(answer, for: client, by: services.keys.current())
                return Response(.ok, contentType: Self.signedType, fields: .notStored, body: signed.revealedBytes)
            } catch {
                throw Failure(error)
            }
        }

        /// Of a signed answer (RFC 9701 §4).
        private static let signedType: StaticString = "application/token-introspection+jwt"

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Is this token good? (RFC 7662)", security: [.none, ClientAuthentication.basic],
                body: .required(TokenForm.introspection),
                responses: [
                    .json(.ok, "What the token says if it is active; else `active` alone.", answer),
                    .text(
                        .ok, "The same, signed (RFC 9701), if `Accept` asks for it.",
                        type: signedType.description),
                    Failure.invalidRequestDocumented, Failure.invalidClientDocumented, Failure.slowDownDocumented,
                    Failure.documented(
                        .forbidden, "unauthorized_client", "The client was added without `--introspect`."),
                ])
        }

        static let answer = Schema.object([
            .required("active", .boolean), .optional("aud", .anyOf([.string, .array(of: .string)])),
            .optional("client_id", .string.described("The client that the token was issued to.")),
            .optional("sub", .string.described("The user; of a client's own token, the client.")),
            .optional("username", .string.described("The user's e-mail address, if there is one.")),
            .optional("email_verified", .boolean.described("Whether that address is known to be the user's.")),
            .optional("token_type", .string.described("`Bearer`; `DPoP` for a token that is bound to a key.")),
            .optional("exp", .integer), .optional("iat", .integer),
            .optional("nbf", .integer), .optional("iss", .string), .optional("jti", .string),
            .optional("scope", .string.described("What the token is good for, with spaces between.")),
            .optional("sid", .string.described("The session.")),
            .optional("auth_time", .integer.described("When the user proved who they are.")),
            .optional("amr", .array(of: .string).described("By what (RFC 8176).")),
            .optional("cnf", .any.described("The key that the token is bound to (RFC 7800).")),
            .optional("act", .any.described("Who acts for the subject (RFC 8693).")),
            .optional(
                "cache_until",
                .integer.described(
                    "Only if `cache=1` asks for it: until when a client that follows `/oauth2/revocations` may cache the answer."
                )),
        ]).named("Introspection")
    }
}
